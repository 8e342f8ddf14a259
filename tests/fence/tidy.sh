#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy on a fixed part of the sources that takes about a minute of one core: the headers of all
# folders without torch, and the sources of the folders that read files from strangers or end the process,
# as one file. The rest, and the slowest checks, are for `make tidy`.
# usage: tidy.sh SOURCE_DIR. Skipped (77) where clang-tidy-19 is missing, unless T2NNEF_REQUIRE_TIDY=1.
set -eu
cd "$1"
tool=$(command -v clang-tidy-19) || {
  [ "${T2NNEF_REQUIRE_TIDY:-}" = 1 ] || { echo "skipped: clang-tidy-19 is not installed (cmake/setup.sh tidy)"; exit 77; }
  echo "clang-tidy-19 is not installed: run cmake/setup.sh tidy"
  exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Optional access needs flow analysis, and parameters by value are looked for in all of the standard library: together
# more than half of the time. The test `sizes` holds functions to their size.
tidy() {
  "$tool" --quiet --config-file=.clang-tidy \
    --checks='-clang-analyzer-*,-bugprone-suspicious-include,-bugprone-unchecked-optional-access,-performance-unnecessary-value-param,-readability-function-size' \
    --header-filter='/(cli|ir|nnef_writer|ops|src)/.*\.(h|cpp)$' \
    "$1" -- -std=c++20 -I. -I"$folder" >"$folder/$(echo "$1" | tr / _).log" 2>&1
}

# A fault that it does not find means that it looks at nothing.
mkdir -p "$folder/src/planted/deep"
printf 'struct planted_name {};\n' >"$folder/src/planted/deep/planted.cpp"
printf '#include "src/planted/deep/planted.cpp"\n' >"$folder/planted.cpp"
if tidy "$folder/planted.cpp"; then echo "clang-tidy did not find a planted fault"; exit 1; fi

find cli ir nnef_writer ops src -name '*.h' ! -path 'src/frontend/*' ! -path 'src/eval/*' ! -path 'src/interp/*' |
  LC_ALL=C sort >"$folder/headers"
sed 's/.*/#include "&"/' "$folder/headers" >"$folder/headers.cpp"
find src/confine src/diag src/limits src/model_file -name '*.cpp' | LC_ALL=C sort >"$folder/sources"
sed 's/.*/#include "&"/' "$folder/sources" >"$folder/sources.cpp"
echo "$(wc -l <"$folder/headers") headers, $(wc -l <"$folder/sources") sources"
[ "$(wc -l <"$folder/headers")" -gt 200 ] && [ "$(wc -l <"$folder/sources")" -gt 15 ] ||
  { echo "too little is looked at"; exit 1; }

cat "$folder/headers.cpp" "$folder/sources.cpp" >"$folder/all.cpp"
tidy "$folder/all.cpp" || {
  grep -vE 'warnings? generated|^Suppressed|^Use -header' "$folder/$(echo "$folder/all.cpp" | tr / _).log"
  exit 1
}
