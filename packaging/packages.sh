#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes all packages into build/packages, each with its SPDX document, from a finished build/release.
. "$(dirname "$0")/common.sh"
rm -rf "$packages"/t2nnef* "$packages/trees"
packaging/wheel.sh
packaging/deb.sh
packaging/tarball.sh
packaging/tarball.sh --with-torch
(cd "$packages" && ls -l t2nnef* | awk '{printf "%9.1f MB  %s\n", $5 / 1e6, $9}')
