#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of build/packages in clean places and uses them there: run.sh. As root, on Debian.
set -eu
cd "$(dirname "$0")/../.."
packages=build/packages
for name in wheel deb tarballs; do
  echo "$name:"
  tests/packages/in_clean_root.sh $name.sh
done
echo "the steps of action.yml:"
environment=$PWD/$packages/action
python3 -m venv --clear "$environment"
# The torch that is here, so that pip does not download it.
dirname "$T2NNEF_TORCH" >"$(echo "$environment"/lib/python3*/site-packages)/torch.pth"
PATH=$environment/bin:$PATH env -u T2NNEF_TRACT_LIB build/packaging/bin/python tests/packages/action.py "$packages"/t2nnef-*.whl \
  "$PWD/fixtures/digits_cnn/model.pt"
rm -rf "$environment"
echo "lintian and SPDX:"
lintian --allow-root --fail-on error,warning "$packages"/t2nnef_*.deb
for document in "$packages"/*.spdx.json; do
  build/packaging/bin/pyspdxtools -i "$document" >"$packages/spdx.log" 2>&1 || { cat "$packages/spdx.log" >&2; exit 1; }
  package=${document%.spdx.json}
  grep -q "\"$(sha256sum "$package" | cut -d ' ' -f 1)\"" "$document" || { echo "$document is of another $package" >&2; exit 1; }
  echo "  $document"
done
echo "all packages work"
