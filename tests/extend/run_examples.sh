#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each example in a copy of its folder.
# usage: run_examples.sh T2NNEF EXAMPLES
set -eu
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
mkdir "$tools/bin"
ln -s "$(realpath "$1")" "$tools/bin/t2nnef"
printf '#!/bin/sh\nexec "%s" "$@"\n' "${T2NNEF_PYTHON:-python3}" > "$tools/bin/python"
chmod +x "$tools/bin/python"
for example in "$2"/*/; do
  cp -r "$example" "$tools/example"
  (cd "$tools/example" && PATH="$tools/bin:$PATH" sh -e ./run.sh)
  rm -rf "$tools/example"
done
