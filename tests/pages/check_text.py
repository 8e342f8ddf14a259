# SPDX-License-Identifier: Apache-2.0
"""Whether each code block of the pages is run by a test or marked, and whether each link leads somewhere.

usage: check_text.py ROOT PAGE.md...     these are the pages whose blocks the test `blocks` runs

Blocks of `text` show what is printed or written; commands are `sh`.
"""
import re
import sys
from pathlib import Path

import run_blocks

PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "tests/*/README.md"]
MARKS = re.compile(r"not run: \S|run with \w+: \S|file: \S+$|exit: \d+$|prints$")
COMMAND = re.compile(r"(\$ )?(t2nnef|make|pip|cmake|python3?|podman|apt-get|git|ctest) ")
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def block_problems(text, is_run):
    for comment, language, source in run_blocks.blocks(text):
        first = source.strip().split("\n")[0]
        marked = MARKS.match(comment)
        if not language:
            yield f"a block without a language: {first}"
        elif language == "text":
            if COMMAND.match(first):
                yield f"a command in a block of text: {first}"
        elif language == "setup":
            if not is_run:
                yield f"a page that is not run has a set-up: {first}"
        elif not marked and not (is_run and language in run_blocks.RUN):
            yield f"a block that is neither run nor marked: {first}"
        elif marked and not is_run and not re.match("not run|run with", comment):
            yield f"a page that is not run has a block marked '{comment}'"


def anchors(text):
    """As GitHub and the site make them of headings."""
    found, counts = set(), {}
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        counts[name] = counts.get(name, 0) + 1
        found.add(name if counts[name] == 1 else f"{name}-{counts[name] - 1}")
    return found


def link_problems(root, page, text):
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    for link, anchor in LINK.findall(prose):
        path = page.parent / link if link else page
        if not path.exists():
            yield f"a link to {link}, which does not exist"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            yield f"a link to {link}#{anchor}: there is no such heading"


def exit_code_problems(root, text):
    """Rows of tables that begin with an exit code and its ids: "| 4 `unsupported-op`, `…` | …"."""
    codes = dict(re.findall(r"^### `([\w-]+)` · exit (\d+)$", (root / "docs/diagnostics.md").read_text(), re.M))
    for code, ids in re.findall(r"^\| (\d+) (`[^|]*) \|", text, re.M):
        for name in re.findall(r"`([\w-]+)`", ids):
            if codes.get(name) != code:
                yield f"`{name}` has the exit code {codes.get(name)}, not {code}"


def problems(root, page, is_run):
    text = page.read_text()
    yield from exit_code_problems(root, text)
    yield from block_problems(text, is_run)
    yield from link_problems(root, page, text)


def check_itself():
    """Each rule on the smallest page that breaks it."""
    broken = {"```\nx\n```": "without a language", "```text\nt2nnef env\n```": "a command", "```sh\nls\n```": "neither run",
              "<!-- exit: 1 -->\n```sh\nls\n```": "is not run", "<!-- setup: ls -->": "a set-up"}
    for text, expected in broken.items():
        found = list(block_problems(text, False))
        assert len(found) == 1 and expected in found[0], (text, found)
    assert not list(block_problems("<!-- not run: why -->\n```sh\nls\n```", False)), "a marked block"
    assert not list(block_problems("```sh\nls\n```", True)), "a block that is run"
    assert anchors("# A `b` c\n## A b c\n```\n# no\n```") == {"a-b-c", "a-b-c-1"}, "names of headings"


def main():
    check_itself()
    root = Path(sys.argv[1])
    are_run = {Path(page).resolve() for page in sys.argv[2:]}
    found = [f"{page.relative_to(root)}: {problem}" for pattern in PAGES for page in sorted(root.glob(pattern))
             for problem in problems(root, page, page.resolve() in are_run)]
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
