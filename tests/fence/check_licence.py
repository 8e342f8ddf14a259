# SPDX-License-Identifier: Apache-2.0
"""Finds sources without the line that names their licence; with --write, adds it.

usage: check_licence.py SOURCE_DIR [--write]

The line is the first, after `#!`. It is the last one in scripts whose line numbers are in saved models and in tests.
"""
import pathlib
import sys

FOLDERS = ["bench", "cli", "cmake", "fixtures", "ir", "nnef_writer", "ops", "packaging", "python", "src", "tests"]
COMMENT = {".h": "//", ".cpp": "//", ".py": "#", ".sh": "#"}
LAST = ("fixtures/", "tests/cli/", "tests/programs/kept/")
LINE = "SPDX-License-Identifier: Apache-2.0"


def sources(root):
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.suffix in COMMENT and path.is_file())


def is_last(root, path):
    return path.suffix == ".py" and path.relative_to(root).as_posix().startswith(LAST)


def position(lines):
    return 1 if lines and lines[0].startswith("#!") else 0


def has_line(root, path):
    lines = path.read_text().splitlines()
    at = -1 if is_last(root, path) else position(lines)
    return len(lines) > at and bool(lines) and lines[at] == f"{COMMENT[path.suffix]} {LINE}"


def add_line(root, path):
    line = f"{COMMENT[path.suffix]} {LINE}\n"
    lines = path.read_text().splitlines(keepends=True)
    lines.insert(len(lines) if is_last(root, path) else position(lines), line)
    path.write_text("".join(lines))


def main():
    root = pathlib.Path(sys.argv[1])
    files = list(sources(root))
    missing = [path for path in files if not has_line(root, path)]
    for path in missing:
        if "--write" in sys.argv:
            add_line(root, path)
        else:
            print(f"{path.relative_to(root)}: its licence is missing: run {pathlib.Path(__file__).name} . --write")
    print(f"{len(files)} files, {len(missing)} without the line")
    sys.exit("--write" not in sys.argv and bool(missing) or not files)


if __name__ == "__main__":
    main()
