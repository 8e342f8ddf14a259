#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BASE [OPTION...]: builds the commit BASE beside this tree and compares what both write.
set -euo pipefail
cd "$(dirname "$0")/../.."
commit="$(git rev-parse --verify "${1:?usage: run.sh BASE [--only models|programs|tests]}^{commit}")"
set -a
. build/env.sh
set +a
cmake --build --preset release -- --quiet
shift
tree="build/same/$commit"
if [ ! -e "$tree/build/complete" ]; then
  mkdir -p "$tree/build"
  git archive "$commit" | tar -x -C "$tree"
  for part in venv engines nnef_tools bad; do
    [ -e "build/$part" ] && ln -sfn "$PWD/build/$part" "$tree/build/$part"
  done
  cp build/env.sh "$tree/build/env.sh"
  (cd "$tree" && cmake --preset release >/dev/null && cmake --build --preset release -- --quiet)
  touch "$tree/build/complete"
fi
exec "$T2NNEF_PYTHON" tests/same/same.py "$tree" . "$@"
