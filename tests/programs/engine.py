# SPDX-License-Identifier: Apache-2.0
"""The real tract in a process of its own: a panic aborts it, and a graph may keep it busy for ever."""

import os
import sys
from pathlib import Path

from child import Child, serve


def tract_folder():
    """Where Python finds tract: beside the first library that the set-up names."""
    library = os.environ.get("T2NNEF_TRACT_LIB", "").split(":")[0]
    if not library:
        sys.exit("T2NNEF_TRACT_LIB is not set: run make setup")
    return str(Path(library).resolve().parent.parent)


def engine():
    """Asked ("load", path), then ("run", arrays)."""
    return Child(__file__, {"PYTHONPATH": tract_folder(), "RAYON_NUM_THREADS": "1"})


class Service:
    def __init__(self):
        import tract
        self.loader = tract.nnef()
        for enable in ("with_tract_extra", "with_tract_transformers", "with_onnx", "with_pulse"):
            getattr(self.loader, enable)()
        self.model = None

    def answer(self, kind, value):
        if kind == "load":
            self.model = None
            self.model = self.loader.load(value).into_runnable()
            return None
        return [output.to_numpy() for output in self.model.run(value)]


if __name__ == "__main__":
    serve(Service().answer)
