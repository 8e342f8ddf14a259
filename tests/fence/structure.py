# SPDX-License-Identifier: Apache-2.0
"""Prints how the product is built: its size, how often facts about an operator are said, rooms, words and casts.

usage: structure.py SOURCE_DIR

The product is all C++ outside of tests and bench. Lines are those with code. An operator is named by a source that has
`aten::NAME` in a string, or "NAME" as a whole string; one source of ops/ is its home and does not count.
"""
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_includes
import check_words

COMMENT = re.compile(r"^\s*//")
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
OPERATOR = re.compile(r"`(?:aten|prims|quantized|torchvision)::(\w+)")
AIMS = {"lines": 80_000, "room": 6_000, "level": 40, "casts": 200, "p90": 2}


def sources(root):
    """{path: text} of the product."""
    return {path.relative_to(root).as_posix(): path.read_text() for folder in check_words.FOLDERS
            for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp")}


def lines_of_code(text):
    return sum(bool(line.strip()) and not COMMENT.match(line) for line in text.splitlines())


def totals(counts):
    out = {}
    for key, count in counts:
        out[key] = out.get(key, 0) + count
    return dict(sorted(out.items(), key=lambda item: -item[1]))


def operators(root):
    """Base names of the operators that have a translation."""
    return sorted(set(OPERATOR.findall((root / "docs/operators.md").read_text())))


def named_in(texts):
    """{base name: sources that name it}."""
    out = {}
    for path, text in texts.items():
        for string in STRING.findall(text):
            base = re.match(r"(?:aten|prims|quantized|torchvision)::(\w+)|(\w+)$", string)
            if base:
                out.setdefault(base[1] or base[2], set()).add(path)
    return out


def homes_elsewhere(texts, names):
    """Sources that name each operator, its home apart: {name: count}."""
    named = named_in(texts)
    out = {}
    for name in names:
        files = named.get(name, set())
        has_home = any(path.startswith("ops/") for path in files)
        out[name] = len(files) - has_home
    return out


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def row(what, now, aim=None):
    print(f"  {what:58}{now:>10,}" + (f"   aim {aim:,}" if aim is not None else ""))


def main():
    root = pathlib.Path(sys.argv[1])
    texts = sources(root)
    sizes = {path: lines_of_code(text) for path, text in texts.items()}
    print("Size")
    row("lines of product code", sum(sizes.values()), AIMS["lines"])
    row("sources", len(sizes))
    rooms = totals((check_includes.folder_of(path), count) for path, count in sizes.items())
    for name in [name for name, count in rooms.items() if count > AIMS["room"]]:
        row(f"lines of {name}", rooms[name], AIMS["room"])
    levels = totals((str(pathlib.PurePosixPath(path).parent), 1) for path in texts if path.endswith(".cpp"))
    for name in [name for name, count in levels.items() if count > AIMS["level"]]:
        row(f"sources at the level of {name}", levels[name], AIMS["level"])
    print("Operators: sources that name one outside of its home in ops/")
    counts = homes_elsewhere(texts, operators(root))
    row("operators", len(counts))
    row("median", int(statistics.median(counts.values())), 0)
    row("p90", percentile(counts.values(), 0.9), AIMS["p90"])
    for name in sorted(counts, key=counts.get, reverse=True)[:6]:
        row(name, counts[name])
    print("House")
    row("circles between folders", len(check_includes.circles(root)), 0)
    casts = sum(text.count("static_cast<size_t>") for text in texts.values())
    row("static_cast<size_t>", casts, AIMS["casts"])
    row("words that are not the field's", sum(len(found) for found in check_words.findings(root).values()), 0)


if __name__ == "__main__":
    main()
