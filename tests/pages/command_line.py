# SPDX-License-Identifier: Apache-2.0
"""Prints docs/command_line.md, the help of every command; with --check, compares it.

usage: command_line.py PROGRAM [--check PAGE.md]
"""
import os
import re
import subprocess
import sys
from pathlib import Path

HEAD = """# Command line

Made by `make docs` from the program's own help; a test fails while it is stale.
"""


def printed(program, *words):
    """With a width of its own, without what the caller's environment sets."""
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run([program, *words], env=environment, capture_output=True, text=True, check=True).stdout.rstrip()


def block(text):
    return f"```text\n{text}\n```\n"


def page(program):
    overview = printed(program, "help")
    commands = re.findall(r"^  ([a-z]+) ", overview.split("Commands:")[1].split("Options:")[0], re.M)
    parts = [HEAD, block(overview)]
    for command in commands:
        parts += [f"## {command}\n", block(printed(program, "help", command))]
    return "\n".join(parts)


def main():
    text = page(sys.argv[1])
    if sys.argv[2:3] != ["--check"]:
        sys.stdout.write(text)
    elif Path(sys.argv[3]).read_text() != text:
        sys.exit(f"{sys.argv[3]} is stale: make docs")


if __name__ == "__main__":
    main()
