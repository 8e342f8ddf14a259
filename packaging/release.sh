#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds all packages of the commit that is checked out twice, in two folders, compares them, and writes
# build/packages/SHA256SUMS: release.sh. The second build compiles everything; T2NNEF_RELEASE_CACHE=1 lets it use ccache.
. "$(dirname "$0")/common.sh"
[ -z "$(git status --porcelain)" ] || fail "the tree has changes: a release is made of a commit"
python3 packaging/version.py
packaging/packages.sh

again=$PWD/build/again
rm -rf "$again"
git clone -q --no-hardlinks . "$again"
mkdir -p "$again/build"
for path in dagre env.sh venv packaging; do
  [ ! -e "build/$path" ] || ln -s "$PWD/build/$path" "$again/build/$path"
done
(
  cd "$again"
  [ -n "${T2NNEF_RELEASE_CACHE:-}" ] || export CCACHE_DISABLE=1
  cmake --preset release -DT2N_TESTS=OFF >/dev/null
  cmake --build --preset release --target t2nnef libt2nnef_torch t2n_share -- --quiet
  packaging/packages.sh >/dev/null
)

cd "$packages"
sha256sum t2nnef* >SHA256SUMS
(cd "$again/build/packages" && sha256sum --quiet -c "$packages/SHA256SUMS") ||
  fail "two builds of the same commit differ; the second one is in $again/build/packages"
rm -rf "$again"
echo "two builds give the same bytes:"
cat SHA256SUMS
