# SPDX-License-Identifier: Apache-2.0
"""The line at the end of a generated page that names the commit it was made at.

usage: stamp.py FILE      puts the line of the commit that is checked out into a page
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAMP = re.compile(r"^Made at commit ([0-9a-f]{40}) \(([0-9-]{10})\)(, with changes)?\.$", re.MULTILINE)


def git(root, *words):
    """What git prints; None where there is no git, or it fails."""
    try:
        child = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return child.stdout.strip() if child.returncode == 0 else None


def has_history(root):
    """Whether the folder itself is checked out of git, rather than some folder above it."""
    top = git(root, "rev-parse", "--show-toplevel")
    return top is not None and Path(top).resolve() == Path(root).resolve()


def line(root=ROOT):
    """The line; "" where there is no git. Pages are written before they are committed: they do not
    count as changes."""
    head = git(root, "log", "-1", "--format=%H (%cs)") if has_history(root) else None
    if not head:
        return ""
    changes = git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    return f"Made at commit {head}{', with changes' if changes else ''}.\n"


def stamped(page, stamp):
    """The page with this line in place of the one it has."""
    bare = STAMP.sub("", page).rstrip("\n")
    return f"{bare}\n\n{stamp}" if stamp else f"{bare}\n"


def keep(result, stamp):
    """Notes the line beside a result that later pages may be made of."""
    result.with_name(f"{result.name}.commit").write_text(stamp)


def oldest(results):
    """The line of the oldest of these results, for a page that is made of several runs."""
    kept = [result for result in results if result.exists()]
    if not kept:
        return ""
    note = min(kept, key=lambda result: result.stat().st_mtime)
    note = note.with_name(f"{note.name}.commit")
    return note.read_text() if note.exists() else ""


def main():
    path = Path(sys.argv[1])
    path.write_text(stamped(path.read_text(), line()))


if __name__ == "__main__":
    main()
