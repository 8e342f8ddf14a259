# SPDX-License-Identifier: Apache-2.0
"""t2nnef as a server that forks for every command line, so that LibTorch is loaded once; see fork_server.cpp."""

import os
import select
import struct
import subprocess
from pathlib import Path

from child import limit_memory

ROOT = Path(__file__).resolve().parents[2]
FORK_SERVER = os.environ.get("T2NNEF_FORK_SERVER", ROOT / "build/release/tests/libt2n_fork_server.so")


class Exporter:
    """Runs command lines of one t2nnef; starts the server anew after one without an end."""

    def __init__(self, program, folder):
        self.program = str(program)
        self.said = Path(folder) / "said"
        self.process = None

    def run(self, arguments, seconds):
        """Exit code (negative: the signal; None: no end within the seconds) and what was said."""
        if self.process is None:
            self.start()
        request = b"".join(os.fsencode(each) + b"\0" for each in (self.said, *arguments))
        self.process.stdin.write(struct.pack("<q", len(request)) + request)
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.close()
            return None, "no end"
        answer = self.process.stdout.read(4)
        if len(answer) < 4:
            raise RuntimeError(f"{self.program} does not serve with {FORK_SERVER}")
        return os.waitstatus_to_exitcode(struct.unpack("<i", answer)[0]), self.said.read_text(errors="replace")

    def start(self):
        folder = Path(self.program).resolve().parent
        libraries = [folder / "torch/lib/libtorch_cpu.so", folder / "libt2nnef_torch.so"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
                                    "LD_PRELOAD": str(FORK_SERVER),
                                    "T2NNEF_FORK_SERVER_LOADS": ":".join(map(str, libraries))}
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        preexec_fn=limit_memory)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
