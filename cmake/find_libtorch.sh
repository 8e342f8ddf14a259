#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints folder and version of the first LibTorch that is new enough; nothing and status 1 if there is none.
# LibTorch is any folder with include/ and lib/: a wheel's torch/, the libtorch archive, a prefix.
# Order: T2NNEF_TORCH, which alone counts when set; the active Python's torch; build/venv's; CMAKE_PREFIX_PATH.
oldest_minor=9 # of 2.x
root=$(cd "$(dirname "$0")/.." && pwd)

# Where that Python would import torch from, without importing it.
torch_of() {
  "$1" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' 2>/dev/null
}

offer() {
  [ -f "$1/lib/libtorch_cpu.so" ] || return
  for header in torch/headeronly/version.h torch/csrc/api/include/torch/version.h; do # before 2.10: the latter
    set -- "$1" $(sed -n 's/^#define TORCH_VERSION_M[A-Z]* \([0-9]*\)$/\1/p' "$1/include/$header" 2>/dev/null)
    [ $# -lt 3 ] || break
  done
  if [ "${2:-0}" -gt 2 ] || { [ "${2:-0}" -eq 2 ] && [ "$3" -ge $oldest_minor ]; }; then
    printf '%s\n%s\n' "$1" "$2.$3"
    exit 0
  fi
}

if [ -n "$T2NNEF_TORCH" ]; then
  offer "$T2NNEF_TORCH"
  exit 1
fi
offer "$(torch_of python3)"
for venv in "$root"/build/venv/lib/python3*/site-packages; do
  offer "$venv/torch"
done
IFS=':;'
for prefix in $CMAKE_PREFIX_PATH; do
  offer "$prefix"
done
exit 1
