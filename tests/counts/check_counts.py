#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What six exports cost, in counts that do not vary: allocations of our own libraries, statements and bytes.

check_counts.py PROGRAM PRELOADED [--write]: compares with counts.tsv, or writes it. What a start allocates depends on the
compiler's options: the allocations of a seventh export are subtracted. A count that differs by more than 2 % is a failure:
what costs more for a reason, and what costs less, is written anew, and seen in the change.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
TOLERANCE = 0.02
MEASURES = ("allocations", "statements", "bytes")
SMALLEST = ["cached_tables/model.pt", "-i", "@cached_tables/input.npz"]
CASES = {
    "convolutions": ["digits_cnn/model.pt", "-i", "@digits_cnn/input.npz"],
    "attention": ["transformer_encoder/model.pt", "-i", "@transformer_encoder/input.npz"],
    "strict": ["transformer_encoder/model.pt", "-i", "@transformer_encoder/input.npz", "-t", "khronos"],
    "open axes": ["char_lm/model.pt", "-i", "@char_lm/input.npz", "--dynamic", "ids:0=B", "--dynamic", "ids:1=S"],
    "scripted": ["lstm_tagger/model.pt", "-i", "@lstm_tagger/input.npz"],
    "integers": ["digits_qat/fx_int8.pt", "-i", "@digits_qat/input.npz"],
}


def measured(program, preloaded, arguments):
    """What an export of these arguments, read in the folder of fixtures, costs."""
    with tempfile.TemporaryDirectory() as folder:
        counter, artefact = Path(folder, "allocations"), Path(folder, "out")
        counter.write_bytes(bytes(8))
        environment = os.environ | {"LD_PRELOAD": str(preloaded), "T2NNEF_ALLOCATIONS": str(counter), "OMP_NUM_THREADS": "1"}
        target = [] if "-t" in arguments else ["-t", "tract"]
        subprocess.run([program, "export", *arguments, *target, "-o", artefact, "--quiet"], cwd=FIXTURES, env=environment, check=True)
        statements = artefact.joinpath("graph.nnef").read_text().split("\ngraph ")[1].count(";\n")
        sizes = sum(each.stat().st_size for each in artefact.iterdir())
        return int.from_bytes(counter.read_bytes(), sys.byteorder), statements, sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: Path(path).resolve())
    parser.add_argument("preloaded", type=lambda path: Path(path).resolve())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start = measured(options.program, options.preloaded, SMALLEST)[0]
    found = {}
    for case, arguments in CASES.items():
        allocations, *others = measured(options.program, options.preloaded, arguments)
        found[case] = [allocations - start, *others]
    table = HERE / "counts.tsv"
    if options.write:
        rows = ["\t".join(("export",) + MEASURES)] + ["\t".join([case, *map(str, counts)]) for case, counts in found.items()]
        table.write_text("\n".join(rows) + "\n")
        return 0
    kept = {case: list(map(int, counts)) for case, *counts in (row.split("\t") for row in table.read_text().splitlines()[1:])}
    if kept.keys() != found.keys():
        sys.exit(f"{table.name} has other exports: run with --write")
    bad = [f"{case}: {count} {measure}, {before} are kept" for case in found
           for measure, count, before in zip(MEASURES, found[case], kept[case]) if abs(count - before) > TOLERANCE * before]
    if bad:
        sys.exit("\n".join([*bad, f"If that is meant: {Path(__file__).name} PROGRAM PRELOADED --write"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
