#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program with the sanitized libt2nnef.so, which the caller's environment puts in place: export,
# check, run, inspect, diff, and files that are damaged. Exit codes have to be those of the program; a
# sanitizer that has found something ends with another. $1: the program; $2: the sanitized library
set -eu
program=$1
library=$2
fixtures=$(cd "$(dirname "$0")/../../fixtures" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

expect() {
  code=$1
  shift
  got=0
  "$program" "$@" >out 2>&1 || got=$?
  [ "$got" = "$code" ] && ! grep -qE 'Sanitizer|runtime error:|internal error' out ||
    { cat out; echo "t2nnef $*: exit $got, expected $code"; exit 1; }
}

LD_TRACE_LOADED_OBJECTS=1 "$program" | grep -qF "$library" || { echo "$program does not take $library"; exit 1; }

model=$fixtures/digits_cnn/model.pt
dynamic=$fixtures/variable_length/attention.pt
expect 0 export "$model" -t tract --check --engine tract -o digits.nnef.tgz --report report.json
expect 0 export "$model" -t khronos --check -o digits
expect 0 export "$dynamic" -t tract --check --engine reference --dynamic ids:0=B --dynamic ids:1=S -o open.nnef.tar
expect 0 check "$model" digits.nnef.tgz --engine reference
expect 0 run digits.nnef.tgz -i "@$fixtures/digits_cnn/input.npz" -o out.npz --engine tract
expect 0 inspect digits.nnef.tgz --json
expect 9 diff digits.nnef.tgz digits
expect 0 ops "$model" -t tract
expect 0 run "$fixtures/foreign/cnn_q4.nnef.tgz" -i "x=@$fixtures/foreign/cnn_q4.npz" --engine reference
head -c 3000 digits.nnef.tgz >cut.nnef.tgz
expect 3 inspect cut.nnef.tgz
head -c 9000 "$model" >cut.pt
expect 3 export cut.pt -t tract
for exported in "$fixtures"/../tests/hostile/seeds/open.pt2 "$fixtures"/../tests/pt2/saved/nested_open_2_7.pt2; do
  expect 0 export "$exported" -t tract --dynamic x:0=B --specialize B=4 -o exported
  expect 0 tensors "$exported" -o tensors.npz
  sed 's/"as_tensor"/"as_floats"/2' "$exported" >wrong.pt2
  expect 3 inspect wrong.pt2
done
