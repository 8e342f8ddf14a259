# SPDX-License-Identifier: Apache-2.0
# Installs the wheel with its extra by pip, as nobody; uses the program and the Python module.
unset T2NNEF_TRACT_LIB  # the one that the extra brings
install_debian python3-venv
pip_environment=$(env | grep -E '^(PIP_|SSL_|https?_proxy)' || true)
wheel=$(echo /source/build/packages/t2nnef-*.whl)
su_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH="$PATH" HOME="$work" $pip_environment "$@"; }
su_nobody python3 -m venv v
su_nobody v/bin/pip install -q --no-cache-dir --disable-pip-version-check "$wheel[check]"
exported as_nobody v/bin/t2nnef
as_nobody v/bin/python /source/tests/packages/module.py /source/fixtures/digits_cnn/model.pt
