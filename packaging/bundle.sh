#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copies the shared libraries that an installed t2nnef needs next to its own, with their licences: bundle.sh PREFIX.
# Those of every Linux stay outside: glibc's and GCC's. Debian's packages name the licences.
set -eu
prefix=$1
libraries=$prefix/lib/t2nnef
licences=$prefix/share/doc/t2nnef/third_party
command -v patchelf >/dev/null || { echo "bundle.sh: patchelf is missing (Debian: apt-get install patchelf)" >&2; exit 1; }

ldd "$prefix/bin/t2nnef" "$libraries/libt2nnef.so" | sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | sort -u |
  grep -vE '^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|t2nnef))\.so' |
  while read -r name path; do
    case $path in "$(realpath "$libraries")"/* | "$libraries"/*) continue ;; esac
    real=$(realpath "$path")
    install -m 755 "$real" "$libraries/$name"
    patchelf --set-rpath '$ORIGIN' "$libraries/$name"
    package=$(dpkg -S "*/$(basename "$real")" | sed -n '1s/:.*//p')
    [ -n "$package" ] || { echo "bundle.sh: no Debian package holds $real" >&2; exit 1; }
    install -D -m 644 "/usr/share/doc/$package/copyright" "$licences/$package.txt"
  done
