#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs check_cases.py with NNEF-Tools, which cmake/setup.sh installs into a folder of its own: it
# wants an older numpy than others do.
set -eu
folder=$(dirname "$0")
tools=$folder/../../build/nnef_tools
[ -d "$tools/nnef_tools" ] || { echo "NNEF-Tools is not installed: run make setup" >&2; exit 1; }
PYTHONPATH=$tools exec "${T2NNEF_PYTHON:-python3}" "$folder/check_cases.py" "$@"
