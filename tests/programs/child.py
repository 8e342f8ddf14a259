# SPDX-License-Identifier: Apache-2.0
"""A process that answers requests: what may die, run for ever or eat the memory runs in one.

Frames over its pipes: eight bytes of length, a pickle. An answer is (what failed or None, value).
"""

import os
import pickle
import resource
import select
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 30  # for one answer
MEMORY = 8 << 30


class ChildError(Exception):
    """What a child says against a request, or how it died."""


def send(file, value):
    data = pickle.dumps(value)
    file.write(struct.pack("<q", len(data)) + data)
    file.flush()


def receive(file):
    size = file.read(8)
    return pickle.loads(file.read(struct.unpack("<q", size)[0])) if len(size) == 8 else None


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Child:
    """Runs a script of this folder; starts anew what has died."""

    def __init__(self, script, environment=None):
        self.script = script
        self.environment = os.environ | (environment or {})
        self.process = None

    def ask(self, *request):
        if self.process is None:
            self.start()
        send(self.process.stdin, request)
        deadline = time.monotonic() + SECONDS
        while not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if time.monotonic() >= deadline:
                self.close()
                raise ChildError(f"no answer within {SECONDS} s")
        answer = receive(self.process.stdout)
        if answer is None:
            said = self.last_words()
            self.close()
            raise ChildError(f"died: {said}")
        error, value = answer
        if error is not None:
            raise ChildError(error)
        return value

    def start(self):
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([sys.executable, self.script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.stderr, env=self.environment, preexec_fn=limit_memory)

    def last_words(self):
        """The panic, where there was one."""
        self.process.wait()
        self.stderr.seek(0)
        lines = [line for line in self.stderr.read().decode(errors="replace").splitlines() if line.strip()]
        panics = [i for i, line in enumerate(lines) if "panicked at" in line]
        return " ".join(lines[panics[-1]:][:2]) if panics else f"exit {self.process.returncode}"

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.stderr.close()
            self.process = None


def serve(answer):
    """The child's side: answers until its input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    while (request := receive(sys.stdin.buffer)) is not None:
        try:
            send(answers, (None, answer(*request)))
        except Exception as error:  # the service's own errors, and what its values are refused for
            said = " <- ".join(line.strip() for line in str(error).splitlines() if line.strip())
            send(answers, (f"{type(error).__name__}: {said[:400]}", None))
