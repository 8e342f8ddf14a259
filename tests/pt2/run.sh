#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs run.py with the Python that has torch.
set -eu
exec "${T2NNEF_PYTHON:-python3}" "$(dirname "$0")/run.py" "$@"
