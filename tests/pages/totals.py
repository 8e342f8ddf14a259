# SPDX-License-Identifier: Apache-2.0
"""A small table of totals in front of the tables of a generated page, made of those tables.

usage: totals.py FILE...     writes the totals of a page of docs anew, and leaves the rest
"""

import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

FIRST = "totals"  # the heading of the first column


class Table(NamedTuple):
    section: str  # the heading above it
    begin: int  # the line of its headings
    end: int  # the line after it
    headings: list
    rows: list


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(lines):
    """Those of a page, in order."""
    out, begin, section = [], None, ""
    for at, line in enumerate([*lines, ""]):
        section = line.lstrip("# ") if line.startswith("#") else section
        if line.startswith("|") and begin is None:
            begin = at
        elif not line.startswith("|") and begin is not None:
            out.append(Table(section, begin, at, cells(lines[begin]), [cells(each) for each in lines[begin + 2 : at]]))
            begin = None
    return out


def text(headings, rows):
    return ["| " + " | ".join(str(cell) for cell in row) + " |" for row in [headings, ["---"] * len(headings), *rows]]


def counted(pairs):
    """A row for each first value, with how often each second value occurs, and a row of all."""
    pairs = list(pairs)
    rows, columns = [list(Counter(side)) for side in zip(*pairs)]
    count = Counter(pairs)
    lines = [[row, *(count[row, column] for column in columns)] for row in rows]
    if len(rows) > 1:
        lines.append(["all", *(sum(count[row, column] for row in rows) for column in columns)])
    return text([FIRST, *columns], lines)


def by_columns(row, column, names=None):
    """Counts the values of one column for each value of another."""

    def make(found):
        table = found[0]
        a, b = table.headings.index(row), table.headings.index(column)
        return counted((each[a], (names or {}).get(each[b], each[b])) for each in table.rows)

    return make


def by_target(found):
    """Counts the values of every column that is a target."""
    table = found[0]
    targets = [i for i, heading in enumerate(table.headings) if "@" in heading]
    names = {"-": "not tested", "": "not tested"}
    return counted((table.headings[i], names.get(row[i], row[i].split(" (")[0])) for row in table.rows for i in targets)


def last_row(found):
    """A table that ends with its sums."""
    return text([FIRST, *found[0].headings[1:]], [found[0].rows[-1]])


def by_compression(found):
    """The size of the archive, of that in f32, and what is lost: a column for each model."""
    names = [row[0] for row in found[0].rows if row[0] != "f32" and "torch" not in row[0]]
    lines = [[name] for name in names]
    for table in found:
        size, lost = table.headings.index("of f32"), table.headings.index("lost")
        row_of = {row[0]: f"{row[size]}, {row[lost]}" for row in table.rows}
        for line in lines:
            line.append(row_of.get(line[0], "-"))
    return text([FIRST, *(table.section for table in found)], lines)


ZOO = {"no": "not right, or undecided", "-": "not exported"}
PAGES = {
    "zoo": by_columns("saved", "checked", ZOO),
    "zoo_khronos": by_columns("saved", "checked", ZOO),
    "zoo_dynamic": by_columns("axes", "", {"no": "not right"}),
    "zoo_roads": by_columns("kind", "verdict"),
    "matrix": by_target,
    "lies": last_row,
    "compression_table": by_compression,
}


def inserted(name, page):
    """The page of docs with its totals, if it has some: after a sentence in bold, else before all tables."""
    if name not in PAGES:
        return page
    lines = page.split("\n")
    old = next((table for table in tables(lines) if table.headings[0] == FIRST), None)
    if old:
        del lines[old.begin : old.end + 1]
    found = tables(lines)
    first = min(found[0].begin, next((i for i, line in enumerate(lines) if line.startswith("## ")), found[0].begin))
    bold = next((i for i, line in enumerate(lines[:first]) if line.startswith("**")), None)
    at = first if bold is None else lines.index("", bold) + 1
    return "\n".join([*lines[:at], *PAGES[name](found), "", *lines[at:]])


def main():
    for path in map(Path, sys.argv[1:]):
        path.write_text(inserted(path.stem, path.read_text()))


if __name__ == "__main__":
    main()
