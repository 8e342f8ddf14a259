#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a script of this folder in a clean Debian 12: in_clean_root.sh SCRIPT [ARGUMENT…]. What the script changes is gone
# afterwards. It finds the source tree at /source and LibTorch at /torch, both read-only, and the engine's library in
# T2NNEF_TRACT_LIB. as_nobody COMMAND… runs a command as the user nobody, without network and environment.
set -euo pipefail
cd "$(dirname "$0")/../.."
script=$1
[ "$(id -u)" = 0 ] || { echo "in_clean_root.sh: only root can change its root folder" >&2; exit 1; }
root=$PWD/build/packages/root

# The mirror that this machine uses.
if [ ! -e "$root/complete" ]; then
  rm -rf "$root"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >build/packages/debootstrap.log
  : >"$root/complete"
fi

# An index of packages and the wheels of this machine are reached from inside as from outside.
variables=(PIP_CERT PIP_FIND_LINKS PIP_INDEX_URL PIP_EXTRA_INDEX_URL SSL_CERT_FILE http_proxy https_proxy)
engine=$(cd "$(dirname "${T2NNEF_TRACT_LIB%%:*}")" && pwd)
layer=$(mktemp -d build/packages/layer.XXXXXX)
trap 'rm -rf "$layer"' EXIT
export root layer engine script
unshare --mount --propagation private bash -euc '
  mkdir "$layer/upper" "$layer/work" "$layer/root"
  mount -t overlay overlay -o "lowerdir=$root,upperdir=$layer/upper,workdir=$layer/work" "$layer/root"
  inside=$(realpath "$layer/root")
  show() {  # show PATH AS
    [ -e "$1" ] || return 0
    if [ -d "$1" ]; then mkdir -p "$inside$2"; else mkdir -p "$(dirname "$inside$2")" && : >>"$inside$2"; fi
    mount --bind "$(realpath "$1")" "$inside$2"
    mount -o remount,ro,bind "$inside$2"
  }
  show . /source
  show "$T2NNEF_TORCH" /torch
  show "$engine" /engine
  for path in $(printf "%s\n" /etc/resolv.conf /etc/hosts /etc/apt/apt.conf.d/*roxy* ${PIP_FIND_LINKS:-} | sort -u); do
    show "$path" "$path"
  done
  # Not where they are outside: the package ca-certificates replaces the file of that name.
  for name in PIP_CERT SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || { show "${!name}" "/certificates/$name" && export "$name=/certificates/$name"; }
  done
  mount -t proc proc "$inside/proc"
  mount --bind /dev "$inside/dev"
  engine_library=/engine/$(basename "${T2NNEF_TRACT_LIB%%:*}")
  keep=()
  for name in "$@"; do [ -z "${!name:-}" ] || keep+=("$name=${!name}"); done
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 T2NNEF_TRACT_LIB="$engine_library" "${keep[@]}" \
    chroot "$inside" bash -euc ". /source/tests/packages/inside.sh; . /source/tests/packages/$script"
' in_clean_root "${variables[@]}"
