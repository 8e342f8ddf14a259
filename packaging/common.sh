# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder, from the root of the source tree.
set -eu
cd "$(dirname "$0")/.."
set -a
[ ! -f build/env.sh ] || . build/env.sh
set +a
python=$PWD/build/packaging/bin/python  # has what `cmake/setup.sh packages` installs
version=$(sed -n 's/^project(t2nnef VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
packages=$PWD/build/packages
# All times in packages are that of the commit, so that packages depend on nothing but the sources.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)}
export SOURCE_DATE_EPOCH
umask 022
mkdir -p "$packages"

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# The LibTorch that the program is built with.
torch_folder() { cmake/find_libtorch.sh | head -n 1; }

# sbom PACKAGE TREE: writes PACKAGE.spdx.json from what the files of TREE link.
sbom() { "$python" packaging/sbom.py write "$1" "$2" "$(torch_folder)" "$version"; }
