#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel of this source tree on a machine of a CI, with the active Python's torch, which is installed if it is
# missing: ci_wheel.sh FOLDER [OPTION OF PIP…]. Does nothing if FOLDER, which may be a cache, has one.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
for wheel in "$folder"/t2nnef-*.whl; do
  [ ! -e "$wheel" ] || exit 0
done
cd "$(dirname "$0")/.."
python -c 'import torch' 2>/dev/null || python -m pip install "$@" 'torch==2.13.*'
if [ "$(id -u)" = 0 ]; then as_root=; else as_root='sudo env PATH='$PATH; fi
$as_root apt-get update -qq
$as_root apt-get install -qq -y --no-install-recommends g++ cmake ninja-build python3-venv patchelf
$as_root cmake/setup.sh build
$as_root chown -R "$(id -u)" build
T2NNEF_TORCH=$(cmake/find_libtorch.sh | head -n 1)
export T2NNEF_TORCH
# The wheel holds the shared libraries that it needs, since a cached one meets a machine without them.
python -m pip wheel . --no-deps -w "$folder" -C 'install.components=Unspecified;bundle'
