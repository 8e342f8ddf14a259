"""The real tract in a process of its own: a panic aborts it, and a graph may keep it busy forever.

`Engine` starts this file again as the child. Frames over its pipes: eight bytes of length, a pickle.
"""

import os
import pickle
import select
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 30  # for one answer


class EngineError(Exception):
    """What the engine says against a file or a run, or how it died."""


def tract_folder():
    """Where Python finds tract: beside the first library that the set-up names."""
    library = os.environ.get("T2NNEF_TRACT_LIB", "").split(":")[0]
    if not library:
        sys.exit("T2NNEF_TRACT_LIB is not set: run make setup")
    return str(Path(library).resolve().parent.parent)


def send(file, value):
    data = pickle.dumps(value)
    file.write(struct.pack("<q", len(data)) + data)
    file.flush()


def receive(file):
    size = file.read(8)
    return pickle.loads(file.read(struct.unpack("<q", size)[0])) if len(size) == 8 else None


class Engine:
    """`load` a file, then `run` it; both raise EngineError. Starts anew what has died."""

    def __init__(self):
        self.child = None

    def load(self, path):
        self.ask(("load", str(path)))

    def run(self, arrays):
        return self.ask(("run", arrays))

    def ask(self, request):
        if self.child is None:
            self.start()
        send(self.child.stdin, request)
        deadline = time.monotonic() + SECONDS
        while not select.select([self.child.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if time.monotonic() >= deadline:
                self.close()
                raise EngineError(f"no answer within {SECONDS} s")
        answer = receive(self.child.stdout)
        if answer is None:
            said = self.last_words()
            self.close()
            raise EngineError(f"died: {said}")
        error, value = answer
        if error is not None:
            raise EngineError(error)
        return value

    def start(self):
        self.stderr = tempfile.TemporaryFile()
        environment = os.environ | {"PYTHONPATH": tract_folder(), "RAYON_NUM_THREADS": "1"}
        self.child = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.stderr, env=environment)

    def last_words(self):
        self.child.wait()
        self.stderr.seek(0)
        lines = [line for line in self.stderr.read().decode(errors="replace").splitlines() if line.strip()]
        panics = [i for i, line in enumerate(lines) if "panicked at" in line]
        return " ".join(lines[panics[-1]:][:2]) if panics else f"exit {self.child.returncode}"

    def close(self):
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child = None


def serve():
    """The child: answers until its input ends."""
    import tract
    answers = sys.stdout.buffer
    loader = tract.nnef()
    for enable in ("with_tract_extra", "with_tract_transformers", "with_onnx", "with_pulse"):
        getattr(loader, enable)()
    model = None
    while (request := receive(sys.stdin.buffer)) is not None:
        kind, value = request
        try:
            if kind == "load":
                model = loader.load(value).into_runnable()
                send(answers, (None, None))
            else:
                send(answers, (None, [output.to_numpy() for output in model.run(value)]))
        except Exception as error:  # tract's own errors, and numpy's on what it cannot hold
            said = " <- ".join(line.strip() for line in str(error).splitlines() if line.strip())
            send(answers, (f"{type(error).__name__}: {said[:400]}", None))


if __name__ == "__main__":
    serve()
