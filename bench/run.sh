#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures, and makes docs/speed.md: run.sh quick|all. Quick prints figures of small models and writes no page.
set -eu
cd "$(dirname "$0")/.."
results=build/bench
[ "$1" = all ] || results=build/bench/quick
models="resnet18 scripted_1500 streaming"
[ "$1" = quick ] || models=
mkdir -p $results
rm -f $results/*.json
"$T2NNEF_PYTHON" bench/models.py build/bench/models $models
if [ "$1" = quick ]; then
  "$T2NNEF_PYTHON" bench/speed.py build/bench/models --results $results/speed.json --rounds 3 $models
  "$T2NNEF_PYTHON" bench/linear.py build/bench/linear --results $results/linear.json --largest 16000 --runs 1
  exec "$T2NNEF_PYTHON" bench/page.py $results/speed.json $results/linear.json
fi
status=0
"$T2NNEF_PYTHON" bench/speed.py build/bench/models --results $results/speed.json || status=$?
"$T2NNEF_PYTHON" bench/linear.py build/bench/linear --results $results/linear.json || status=$?
python=build/peers/bin/python
[ -x $python ] || python=$T2NNEF_PYTHON
$python bench/page.py $results/speed.json $results/linear.json -o docs/speed.md || status=$?
"$T2NNEF_PYTHON" tests/pages/stamp.py docs/speed.md
exit $status
