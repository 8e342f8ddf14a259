#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes build/packages/t2nnef-VERSION-py3-none-PLATFORM.whl by `pip wheel`, with the shared libraries that it needs.
. "$(dirname "$0")/common.sh"
rm -f "$packages"/t2nnef-*.whl
# What is compiled in build/release is not compiled again; the build stays configured as it is. Without its note of the
# last build, scikit-build-core cannot find that it was another of itself, and configure from nothing.
rm -f build/release/.skbuild-info.json
cached() { sed -n "s/^$1:[A-Z]*=//p" build/release/CMakeCache.txt; }
prefix=$(cached CMAKE_INSTALL_PREFIX)
"$python" -m pip --disable-pip-version-check wheel . -q --no-deps --no-build-isolation -w "$packages" \
  -C build-dir=build/release -C cmake.define.T2N_TESTS="$(cached T2N_TESTS)" \
  -C 'build.targets=t2nnef;libt2nnef_torch;t2n_share' -C 'install.components=Unspecified;bundle'
cmake -DCMAKE_INSTALL_PREFIX="$prefix" build/release >/dev/null
wheel=$(ls "$packages"/t2nnef-"$version"-py3-*.whl)
tree=$packages/trees/wheel
rm -rf "$tree"
"$python" -m zipfile -e "$wheel" "$tree"
sbom "$wheel" "$tree/t2nnef-$version.data/data"
