# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of a page in order, in one folder: ```sh and ```python. A comment `<!-- not run: why -->` before a
block leaves it out.

usage: run_blocks.py PAGE.md PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(<!-- not run: [^\n]*-->\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)


def main():
    page, program = map(Path, sys.argv[1:])
    python = os.environ.get("T2NNEF_PYTHON", sys.executable)  # has torch
    library = os.environ.get("T2NNEF_TRACT_LIB", "").split(":")[0]
    if not library:
        print("T2NNEF_TRACT_LIB is not set: nothing to run the blocks in")
        sys.exit(77)
    # The package `tract` is beside its library, `t2nnef` in the sources; `python` is one with torch.
    modules = [Path(library).parents[1], Path(__file__).resolve().parents[2] / "python"]
    environment = dict(os.environ, PYTHONPATH=":".join(map(str, modules)))
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "tools"
        tools.mkdir()
        (tools / "t2nnef").symlink_to(program.resolve())
        (tools / "python").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
        (tools / "python").chmod(0o755)
        environment["PATH"] = f"{tools}:{environment['PATH']}"
        for skipped, language, text in BLOCK.findall(page.read_text()):
            if skipped or language not in ("sh", "python"):
                continue
            script = Path(folder) / f"block_{count}.{language}"  # torch reads the source of what it compiles
            script.write_text(text)
            command = ["sh", "-e", script] if language == "sh" else [python, script]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{page}: exit {done.returncode} from\n{text}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            count += 1
    print(f"{page}: {count} blocks")
    if count == 0:
        sys.exit("no block was run")


if __name__ == "__main__":
    main()
