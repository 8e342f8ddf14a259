# SPDX-License-Identifier: Apache-2.0
"""Checks that the version is that of CMakeLists.txt wherever it is shown, and that CHANGELOG.md has a section for it.

usage: version.py [PREFIX]     PREFIX: where t2nnef is installed
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version():
    return re.search(r"^project\(t2nnef VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def changelog_problem(text, number):
    """What is wrong with the section of a version, or None."""
    heading = re.search(rf"^## {re.escape(number)}\b.*\n((?:(?!## ).*\n?)*)", text, re.M)
    if not heading:
        return f"CHANGELOG.md has no section `## {number}`"
    return None if heading[1].strip() else f"the section of {number} in CHANGELOG.md is empty"


def shown(prefix):
    """{where: version} of an installed t2nnef."""
    prefix = Path(prefix)
    printed = subprocess.run([prefix / "bin/t2nnef", "--version"], capture_output=True, text=True, check=True).stdout
    man = (prefix / "share/man/man1/t2nnef.1").read_text()
    config = (prefix / "lib/cmake/t2nnef/t2nnefConfigVersion.cmake").read_text()
    return {
        "t2nnef --version": printed.split()[1],
        "the man page": re.search(r'^\.TH .*"t2nnef ([^"]+)"', man)[1],
        "the CMake package": re.search(r'set\(PACKAGE_VERSION "([^"]+)"\)', config)[1],
    }


def main():
    number = version()
    found = [changelog_problem((ROOT / "CHANGELOG.md").read_text(), number)]
    for where, other in (shown(sys.argv[1]) if len(sys.argv) > 1 else {}).items():
        found.append(None if other == number else f"{where} says {other}, CMakeLists.txt {number}")
    sys.exit("\n".join(filter(None, found)) or 0)


if __name__ == "__main__":
    main()
