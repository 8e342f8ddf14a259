#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes build/packages/t2nnef-VERSION-linux-PROCESSOR.tar.gz from build/release, with the shared libraries that it needs:
# tarball.sh. With LibTorch inside: tarball.sh --with-torch. Both run from any folder that they are unpacked into.
. "$(dirname "$0")/common.sh"
name=t2nnef-$version-linux-$(uname -m)
torch=$(torch_folder)

# What the module links of LibTorch, and LibTorch's licence.
copy_torch() {
  target=$1/lib/t2nnef/torch
  mkdir -p "$target/lib"
  LD_LIBRARY_PATH=$torch/lib ldd "$1/lib/t2nnef/libt2nnef_torch.so" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    while read -r path; do
      case $(realpath "$path") in "$(realpath "$torch")"/*) install -m 755 "$path" "$target/lib/" ;; esac
    done
  cp "$torch/version.py" "$target/"
  licences=$(ls -d "$torch"/../torch-*.dist-info/licenses) || fail "the licence of LibTorch in $torch is missing"
  mkdir -p "$1/share/doc/t2nnef/third_party"
  cp -R "$licences" "$1/share/doc/t2nnef/third_party/torch"
}

if [ "${1:-}" = --with-torch ]; then
  name=$name-libtorch-$(sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$torch/version.py")
fi
tree=$packages/trees/$name
rm -rf "$tree"
cmake --install build/release --strip --prefix "$tree" >/dev/null
cmake --install build/release --component bundle --prefix "$tree" >/dev/null
[ "${1:-}" != --with-torch ] || copy_torch "$tree"
chmod -R u+w,go-w "$tree"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
  -C "$packages/trees" -c "$name" | gzip -n >"$packages/$name.tar.gz"
sbom "$packages/$name.tar.gz" "$tree"
