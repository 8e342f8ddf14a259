# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of pages, ```sh and ```python, in their order, each page in a folder of its own.

usage: run_blocks.py PROGRAM PAGE.md... [--with KIND]

A comment in the line before a block says what is different about it:
  <!-- not run: why -->              it is left out
  <!-- run with KIND: why -->        it is left out without --with KIND
  <!-- file: NAME -->                it is written to that file, whatever its language
  <!-- exit: N -->                   its last command ends with that code
  <!-- prints -->                    a ```text block: it is what the block before printed
  <!-- setup: COMMAND -->            a command that readers do not see; $SOURCE is the source tree
"""
import argparse
import contextlib
import os
import re
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/fork_server"))
import by_socket  # noqa: E402
from fork_server import ForkServer  # noqa: E402

BLOCK = re.compile(r"(?:^ *<!-- ([^\n]*) -->\n)?^( *)```(\w*)\n(.*?)^ *```$|^<!-- setup: ([^\n]*) -->$", re.M | re.S)
RUN = ("sh", "python")


class Wrong(Exception):
    pass


def blocks(text):
    """(comment, language, source) of each block; the language of what readers do not see is "setup"."""
    for comment, indent, language, source, setup in BLOCK.findall(text):
        if setup or comment.startswith("setup: "):
            yield "", "setup", setup or comment.removeprefix("setup: ")
        if not setup:
            yield comment, language, re.sub(f"^{indent}", "", source, flags=re.M)


def left_out(comment, kinds):
    tag = re.match(r"run with (\w+):", comment)
    return comment.startswith("not run:") or (tag is not None and tag[1] not in kinds)


def run_python(script, out):
    """The exit code of a fork, which has torch already: to import it takes longer than most blocks."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            sys.path.insert(0, str(script.parent))
            try:
                runpy.run_path(str(script), run_name="__main__")
                code = 0
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Page:
    def __init__(self, path, folder, kinds):
        self.path, self.folder, self.kinds = path, folder, kinds
        self.count, self.printed = 0, None

    def run(self, language, source, expected):
        script = self.folder / f"block_{self.count}.{language}"  # torch reads the source of what it compiles
        script.write_text(source)
        with open(self.folder / "printed", "w+") as out:
            if language == "python":
                code = run_python(script, out)
            else:
                code = subprocess.run(["sh", "-e", script], stdout=out, stderr=subprocess.STDOUT).returncode
            out.seek(0)
            self.printed = out.read()
        if code != expected:
            raise Wrong(f"exit {code}, expected {expected}, from\n{source}\n{self.printed[-4000:]}")
        self.count += 1

    def block(self, comment, language, source):
        if left_out(comment, self.kinds):
            return
        if comment.startswith("file: "):
            (self.folder / comment.removeprefix("file: ")).write_text(source)
        elif comment == "prints":
            if self.printed is None or self.printed.strip() != source.strip():
                raise Wrong(f"the page shows\n{source}\nand the block before it printed\n{self.printed}")
        elif language == "setup":
            self.run("sh", source, 0)
        elif language in RUN:
            code = re.match(r"exit: (\d+)$", comment)
            self.run(language, source, int(code[1]) if code else 0)


def run_page(path, kinds):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = Page(path, folder, kinds)
        os.chdir(folder)
        try:
            for block in blocks(path.read_text()):
                page.block(*block)
        except Wrong as error:
            sys.exit(f"{path}: {error}")
        finally:
            os.chdir("/")
    print(f"{path.name}: {page.count} blocks")
    if page.count == 0:
        sys.exit(f"{path}: no block was run")


def environment(tools, python, library):
    """`python` is one with torch, next to which are the package `tract` and this tree's `t2nnef`."""
    (tools / "python").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    (tools / "python").chmod(0o755)
    extra = os.environ.get("PYTHONPATH", "").split(":")
    modules = [*filter(None, extra), str(Path(library).parents[1]), str(ROOT / "python")]
    return {"PYTHONPATH": ":".join(modules), "PATH": f"{tools}:{os.environ['PATH']}", "SOURCE": str(ROOT)}


def start_again(program):
    """In the Python that has torch, with the modules and programs that pages name."""
    library = os.environ.get("T2NNEF_TRACT_LIB", "").split(":")[0]
    if not library:
        print("T2NNEF_TRACT_LIB is not set: nothing to run the blocks in")
        sys.exit(77)
    python = os.environ.get("T2NNEF_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as name, contextlib.closing(ForkServer(program)) as server:
        _, serve = by_socket.serve(server, Path(name))
        threading.Thread(target=serve, daemon=True).start()
        variables = environment(Path(name), python, library)
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=os.environ | variables).returncode)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--with", dest="kinds", action="append", default=[])
    arguments = parser.parse_args()
    if "SOURCE" not in os.environ:
        start_again(arguments.program)
    import torch  # noqa: F401  the blocks run in forks of this process
    for page in [path.resolve() for path in arguments.pages]:
        run_page(page, arguments.kinds)


if __name__ == "__main__":
    main()
