#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs lengths.py with the Python that has torch.
set -eu
exec "${T2NNEF_PYTHON:-python3}" "$(dirname "$0")/lengths.py" "$@"
