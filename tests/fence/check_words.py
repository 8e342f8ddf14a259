# SPDX-License-Identifier: Apache-2.0
"""Finds words that have no meaning in the field, or another one there (STYLE §7), in names, comments, messages and pages.

usage: check_words.py SOURCE_DIR

Words that are also plain English count in names only.
"""
import pathlib
import re
import sys

FOLDERS = ["cli", "ir", "nnef_writer", "ops", "src"]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md"]
# Everywhere: what to write instead.
ALWAYS = {
    "births": "data-dependent sizes",
    "demands": "runtime assertions",
    "yardstick": "f64 reference",
    "obstacle": "reason",
    "uncounted": "undefined",
    "alike": "equal, isomorphic",
    "follows from": "depends on",
    "follow from": "depend on",
    "whole numbers": "integers",
    "beside": "next to, in addition to",
}
# Parts of names.
IN_NAMES = ALWAYS | {
    "born": "unbacked", "birth": "unbacked_size", "demand": "runtime_assertion", "told": "warned", "outline": "layout",
    "stretch": "segment", "ruling": "cause", "talk": "console", "trial": "probe", "trials": "probes", "standing": "snapshot",
    "settle": "add_guard, resolve", "settled": "resolved", "mover": "data movement", "behind": "after", "apart": "disjoint",
    "wanted": "requested", "given": "its role", "asked": "requested", "made": "its role", "way": "branch, direction",
    "ways": "branches", "said": "message", "says": "states", "place": "location, region, index", "places": "indices",
    "whole": "integer, entire", "reals": "floats", "idle": "redundant", "rolled": "rerolled", "lies": "corrupted artefacts",
}
# Names of torch, NNEF, files and options that have such a part, and plain English.
NAMES = {
    "in_place", "force_out_of_place", "keep_in_place", "put_in_place", "wrote_in_place", "stretch_streamed", "lies_in_archive",
}
STRINGS = {"t2nnef_demands", "demands"}  # of files
TOKEN = re.compile(r'//[^\n]*|R"\((?:.|\n)*?\)"|"((?:\\.|[^"\\\n])*)"|[A-Za-z_]\w*')
PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
PROSE = re.compile(r"\b(" + "|".join(ALWAYS) + r")\b", re.I)


def in_name(name):
    if name in NAMES or name.strip("_") in NAMES:
        return []
    return [part.lower() for part in PART.findall(name) if part.lower() in IN_NAMES]


def in_prose(text):
    return [word.lower() for word in PROSE.findall(text)]


def in_source(text):
    """(line number, word) of each."""
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith("//"):
            words = in_prose(token)
        elif token.startswith(('"', "R")) and '"' in token:
            words = in_prose(token) if " " in token and token.strip('"') not in STRINGS else []
        else:
            words = in_name(token)
        yield from ((text.count("\n", 0, match.start()) + 1, word) for word in words)


def in_page(text):
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.startswith("```")
        if not code:
            yield from ((number, word) for word in in_prose(re.sub(r"`[^`]*`", "", line)))


def findings(root):
    """{path: [(line number, word)]} of all sources and pages."""
    sources = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp"))
    pages = (path for pattern in PAGES for path in sorted(root.glob(pattern)))
    out = {path.relative_to(root).as_posix(): list(in_source(path.read_text())) for path in sources}
    return out | {path.relative_to(root).as_posix(): list(in_page(path.read_text())) for path in pages}


def main():
    files = findings(pathlib.Path(sys.argv[1]))
    found = {path: words for path, words in files.items() if words}
    for path, words in found.items():
        for number, word in words:
            print(f"{path}:{number}: '{word}': write {IN_NAMES[word]}")
    print(f"{len(files)} files, {sum(map(len, found.values()))} words")
    sys.exit(bool(found) or not files)


if __name__ == "__main__":
    main()
