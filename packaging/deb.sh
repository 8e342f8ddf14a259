#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes build/packages/t2nnef_VERSION_ARCHITECTURE.deb from build/release, by CPack.
. "$(dirname "$0")/common.sh"
work=$packages/cpack
rm -rf "$work"
mkdir -p "$work"
cpack -G DEB --config build/release/CPackConfig.cmake -B "$work" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
package=$(ls "$work"/t2nnef_"$version"_*.deb)
mv "$package" "$packages/"
package=$packages/$(basename "$package")
tree=$packages/trees/deb
rm -rf "$tree"
dpkg-deb -x "$package" "$tree"
sbom "$package" "$tree/usr"
