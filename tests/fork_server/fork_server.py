# SPDX-License-Identifier: Apache-2.0
"""t2nnef as a server that forks for every command line, so that LibTorch is loaded once; see fork_server.cpp."""

import functools
import os
import select
import signal
import struct
import subprocess
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("T2NNEF_FORK_SERVER", ROOT / "build/release/tests/libt2n_fork_server.so")


class ForkServer:
    """Runs command lines of one t2nnef; `environment` is theirs, and `prepare` runs once before the server starts."""

    def __init__(self, program, environment=None, prepare=None):
        self.program = str(Path(program).absolute())
        self.environment = {name: str(value) for name, value in (os.environ if environment is None else environment).items()}
        folder = Path(self.program).resolve().parent
        libraries = [folder / "torch/lib/libtorch_cpu.so", folder / "libt2nnef_torch.so"]
        loads = {"LD_PRELOAD": str(LIBRARY), "T2NNEF_FORK_SERVER_LOADS": ":".join(map(str, libraries))}
        self.lock = threading.Lock()
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=self.environment | loads, preexec_fn=prepare)

    def run(self, arguments, timeout=None, cwd=".", text=True, environment=None):
        """As subprocess.run does it with capture_output, also in what it raises after `timeout` seconds."""
        words = [str(each) for each in arguments]
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            status = self.wait(self.start(words, cwd, out.name, err.name, environment or self.environment), words, timeout)
            done = subprocess.CompletedProcess([self.program, *words], os.waitstatus_to_exitcode(status), out.read(), err.read())
        if text:
            done.stdout, done.stderr = (said.decode(errors="replace") for said in (done.stdout, done.stderr))
        return done

    def start(self, words, cwd, out, err, environment):
        variables = [f"{name}={value}" for name, value in environment.items()]
        texts = [str(Path(cwd).absolute()), out, err, str(len(words)), *words, *variables]
        request = b"".join(os.fsencode(each) + b"\0" for each in texts)
        with self.lock:
            self.process.stdin.write(struct.pack("<q", len(request)) + request)
            self.process.stdin.flush()
            answer = self.process.stdout.read(4)
        if len(answer) < 4:
            raise RuntimeError(f"{self.program} does not serve with {LIBRARY}")
        return struct.unpack("<i", answer)[0]

    def wait(self, pid, words, timeout):
        descriptor = os.pidfd_open(pid)
        try:
            ended = select.select([descriptor], [], [], timeout)[0]
        finally:
            os.close(descriptor)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        if not ended:
            raise subprocess.TimeoutExpired([self.program, *words], timeout)
        return status

    def close(self):
        self.process.kill()
        self.process.communicate()


@functools.cache
def server_of(program):
    return ForkServer(program)


def run(command, timeout=None, cwd=".", text=True):
    """subprocess.run with capture_output of a program and its words, which take this process's environment."""
    program, *words = map(str, command)
    return server_of(program).run(words, timeout, cwd, text)
