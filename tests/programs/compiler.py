# SPDX-License-Identifier: Apache-2.0
"""torch's compiler in a process of its own: some programs end it with a signal."""

import warnings

import program as programs
from child import Child, serve


def compiler():
    """Asked (program, path): saves it as TorchScript; raises what Python or torch says against it."""
    return Child(__file__, {"OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve(programs.save)
