# SPDX-License-Identifier: Apache-2.0
# Installs the sources of the commit by pip, from nothing, as docs/install.md says; uses the program as nobody.
unset T2NNEF_TRACT_LIB  # the one that the extra brings
install_debian ca-certificates cmake g++ git make ninja-build python3-venv
git -c safe.directory='*' clone -q /source t2nnef
python3 -m venv v
. v/bin/activate
cd t2nnef
SECONDS=0
make setup && pip install -q '.[check]'
echo "  installed in $SECONDS s"
cd "$work"
exported as_nobody v/bin/t2nnef
as_nobody v/bin/python /source/tests/packages/module.py /source/fixtures/digits_cnn/model.pt
