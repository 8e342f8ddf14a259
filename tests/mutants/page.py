"""What came of the faults, as a table for the terminal and as docs/mutants.md."""

import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pages"))
import stamp  # noqa: E402

ALLOWED = 0.05
COLUMNS = ["planted", "killed", "survived", "not reached", "open"]

HEAD = """# Planted faults

`make mutants` makes a copy of the sources with small faults behind a run-time switch, builds it once, runs the tests
that reach each fault, and writes this page. Rules, and what is left out, are in
[tests/mutants](../tests/mutants/README.md).
"""


def explanations(file):
    """By key: paragraphs of a line `file: rule: line` and an indented text."""
    out = {}
    for paragraph in file.read_text().split("\n\n") if file.is_file() else []:
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if lines:
            out[lines[0]] = " ".join(line.strip() for line in lines[1:])
    return out


def table(judged, plant):
    rows = {name: collections.Counter() for name, _, _ in plant.PARTS}
    for mutant, result in judged.items():
        rows[plant.part_of(mutant.file)].update(["planted", result["verdict"]])
    rows["all"] = sum(rows.values(), collections.Counter())
    columns = [column for column in COLUMNS if column != "open" or rows["all"]["open"]]
    lines = ["| part | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 1) + "|"]
    for name, counts in rows.items():
        lines.append(f"| {name} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    return "\n".join(lines), rows["all"]


def survivors(judged, known):
    """A line each, those without an explanation first."""
    left = [(mutant, result) for mutant, result in judged.items() if result["verdict"] != "killed"]
    lines = []
    for mutant, result in sorted(left, key=lambda each: (each[0].key in known, each[0].key)):
        line = mutant.line.replace("`", "'")
        why = known.get(mutant.key, "unexplained")
        lines.append(f"- {mutant.file}:{mutant.number}, {result['verdict']}: {mutant.fault.rule} in `{line}`: {why}")
    return lines


def killers(judged):
    counts = collections.Counter(result["how"] for result in judged.values() if result["verdict"] == "killed")
    return f"Of the killed, {counts['failed']} failed a test, {counts['crashed']} crashed one and {counts['no end']} kept one from ending."


def write(judged, plant, whole):
    """Prints, writes the page if all are judged, and says which share survived."""
    known = explanations(plant.ROOT / "tests/mutants/survivors.txt")
    text, counts = table(judged, plant)
    left = counts["planted"] - counts["killed"]
    share = left / max(1, counts["planted"])
    lines = survivors(judged, known)
    print("\n".join([text, "", *lines]))
    if whole:
        said = f"**{left} of {counts['planted']} faults survived ({100 * share:.1f} %).** {killers(judged)}"
        body = "\n".join([HEAD, said, "", text, "", "Survivors:" if lines else "None survived.", "", *lines])
        (plant.ROOT / "docs/mutants.md").write_text(stamp.stamped(body, stamp.line()))
    return share
