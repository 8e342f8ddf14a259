# SPDX-License-Identifier: Apache-2.0
"""What came of the faults, as a table for the terminal and as docs/mutants.md."""

import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pages"))
import stamp  # noqa: E402

ALLOWED = 0.05
COLUMNS = ["planted", "killed", "survived", "not reached", "open", "equivalent"]
EQUIVALENT = "equivalent: "  # how an explanation begins that holds for every input
PAGE = Path(__file__).resolve().parents[2] / "docs/mutants.md"

HEAD = """# Mutation testing

`make mutants` copies the sources and plants small faults, each enabled by a run-time switch. It builds the copy once,
runs the tests that reach each fault, and writes this page. [tests/mutants](../tests/mutants/README.md) lists the rules
and exclusions.
"""


def explanations(file):
    """By key: paragraphs of a line `file: rule: line` and an indented text."""
    out = {}
    for paragraph in file.read_text().split("\n\n") if file.is_file() else []:
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if lines:
            out[lines[0]] = " ".join(line.strip() for line in lines[1:])
    return out


def kind_of(mutant, result, known):
    """The verdict, or "equivalent" for one that was not killed since nothing can tell it from the original."""
    if result["verdict"] != "killed" and known.get(mutant.key, "").startswith(EQUIVALENT):
        return "equivalent"
    return result["verdict"]


def table(judged, plant, known):
    rows = {name: collections.Counter() for name, _, _ in plant.PARTS}
    for mutant, result in judged.items():
        rows[plant.part_of(mutant.file)].update(["planted", kind_of(mutant, result, known)])
    rows["all"] = sum(rows.values(), collections.Counter())
    columns = [column for column in COLUMNS if column != "open" or rows["all"]["open"]]
    lines = ["| part | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 1) + "|"]
    for name, counts in rows.items():
        lines.append(f"| {name} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    return "\n".join(lines), rows["all"]


def listed(judged, known, is_equivalent):
    """A line for each that was not killed and is, or is not, equivalent; those without an explanation first."""
    left = [(mutant, kind_of(mutant, result, known)) for mutant, result in judged.items() if result["verdict"] != "killed"]
    lines = []
    for mutant, kind in sorted(left, key=lambda each: (each[0].key in known, each[0].key)):
        if (kind == "equivalent") == is_equivalent:
            line = mutant.line.replace("`", "'")
            why = known.get(mutant.key, "unexplained").removeprefix(EQUIVALENT)
            lines.append(f"- {mutant.file}:{mutant.number}, {kind}: {mutant.fault.rule} in `{line}`: {why}")
    return lines


def killers(judged):
    counts = collections.Counter(result["how"] for result in judged.values() if result["verdict"] == "killed")
    return f"Of the killed faults, {counts['failed']} failed a test, {counts['crashed']} crashed one and {counts['no end']} made one run for ever."


def refuted_by(judged, known):
    """Faults that are said to be equivalent, and that a test saw all the same."""
    return [mutant.key for mutant, result in judged.items()
            if result["verdict"] == "killed" and known.get(mutant.key, "").startswith(EQUIVALENT)]


def share_of(counts):
    """Which share survived of the faults that a test could see."""
    visible = counts["planted"] - counts["equivalent"]
    return (visible - counts["killed"]) / max(1, visible)


def body_of(judged, plant, known):
    text, counts = table(judged, plant, known)
    visible = counts["planted"] - counts["equivalent"]
    said = (f"**{visible - counts['killed']} of {visible} faults survived ({100 * share_of(counts):.1f} %).** {killers(judged)} "
            f"{counts['equivalent']} further faults are equivalent: they change the program's behaviour for no input.")
    survivors, equivalents = listed(judged, known, False), listed(judged, known, True)
    return "\n".join([HEAD, said, "", text, "", "Survivors:" if survivors else "None survived.", "", *survivors, "",
                      "Equivalent faults:" if equivalents else "No fault is equivalent.", "", *equivalents]).rstrip()


def write(judged, plant, known, whole):
    """Prints, and writes the page if all are judged. The share that survived, and what refutes survivors.txt."""
    text, counts = table(judged, plant, known)
    print("\n".join([text, "", *listed(judged, known, False)]))
    refuted = refuted_by(judged, known)
    for key in refuted:
        print(f"survivors.txt calls it equivalent, and a test sees it: {key}")
    for key in known.keys() - {mutant.key for mutant in judged}:
        print(f"survivors.txt explains what is not planted: {key}")
    if whole and not refuted:
        PAGE.write_text(stamp.stamped(body_of(judged, plant, known), stamp.line()))
    return share_of(counts), refuted
