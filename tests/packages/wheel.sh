# SPDX-License-Identifier: Apache-2.0
# Installs the wheel with its extra by pip, as nobody; uses the program and the Python module.
unset T2NNEF_TRACT_LIB  # the one that the extra brings
install_debian g++ python3-venv
pip_environment=$(env | grep -E '^(PIP_|SSL_|https?_proxy)' || true)
wheel=$(echo /source/build/packages/t2nnef-*.whl)
su_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH="$PATH" HOME="$work" $pip_environment "$@"; }
su_nobody python3 -m venv v
su_nobody v/bin/pip install -q --no-cache-dir --disable-pip-version-check "$wheel[check]"
exported as_nobody v/bin/t2nnef
as_nobody v/bin/python /source/tests/packages/module.py /source/fixtures/digits_cnn/model.pt
# The user's own operators, with nothing but what is installed: fragments, and a plugin with its header.
for example in /source/examples/*/; do
  as_nobody cp -r "$example" example
  (cd example && as_nobody env PATH="$work/v/bin:$PATH" T2NNEF_INCLUDE="$work/v/include/t2nnef" sh -e ./run.sh) >log 2>&1 ||
    { cat log; fail "$example"; }
  echo "  $example: $(grep -c '^check: tract' log) files are right in tract"
  rm -rf example
done
