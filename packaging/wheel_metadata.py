# SPDX-License-Identifier: Apache-2.0
"""What a wheel requires: the minor version of LibTorch that it is built with, as its C++ interface changes with each."""
import subprocess
from pathlib import Path


def dynamic_metadata(field, _settings):
    """Called by scikit-build-core."""
    if field != "dependencies":
        raise ValueError(f"no value for {field}")
    script = Path(__file__).resolve().parents[1] / "cmake/find_libtorch.sh"
    found = subprocess.run(["sh", script], capture_output=True, text=True).stdout.split("\n")
    if len(found) < 2:
        raise RuntimeError("LibTorch 2.9 or later is needed: run `pip install torch` first, or set T2NNEF_TORCH to its folder")
    return [f"torch=={found[1]}.*"]
