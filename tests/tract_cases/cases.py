# SPDX-License-Identifier: Apache-2.0
"""Runs tract's own test graphs (harness/nnef-test-cases of its repository) by `t2nnef run`, in tract and in the reference
interpreter, and says of each whether it gives what its script expects.

    python3 tests/tract_cases/cases.py build/t2nnef CASES

A script that compares with a bundle (io.npz) is followed: the same inputs, its outputs, its tolerance. One that only runs the
graph, or looks at what tract makes of it, has no values: the graph is run on drawn inputs, and both engines must agree.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

# tract's words for tolerances: absolute and relative.
TOLERANCES = {"exact": (0, 0), "close": (1e-7, 1e-7), "approximate": (1e-4, 5e-4), "very": (5e-2, 1e-2)}
SYMBOL = 8  # as tract's scripts set S


def script_of(case):
    text = (case / "runme.sh").read_text()
    return re.sub(r"\\\n", " ", text)


def artefact_of(case):
    for name in ("model.nnef.tgz", "model"):
        if (case / name).exists():
            return case / name
    return case


def tolerance_of(script):
    words = re.findall(r"--approx (\w+)", script)
    return TOLERANCES[words[-1] if words else "close"]


def drawn_inputs(program, artefact):
    """--input for what the file leaves open."""
    said = subprocess.run([program, "inspect", artefact, "--json"], capture_output=True, text=True)
    if said.returncode != 0:
        return []
    out = []
    for entry in json.loads(said.stdout)["inputs"]:
        shape = [str(size) if isinstance(size, int) else str(eval(size, {}, _Symbols())) for size in entry["shape"]]
        out += ["-i", entry["name"] + "=" + (",".join(shape) or "[]") + "," + entry["dtype"]]
    return out


class _Symbols(dict):
    def __missing__(self, name):
        return SYMBOL


def run(program, artefact, inputs, engine, casts):
    """The outputs by name, or the first line of the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npz"
        command = [program, "run", artefact, "--engine", engine, "-o", out, *inputs]
        if casts:
            command.append("--allow-float-casts")
        said = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if said.returncode != 0:
            return said.stderr.strip() or "no words"
        return dict(numpy.load(out))


def difference(actual, expected, tolerance, of_largest=0):
    """"" where all outputs that both have are within the tolerance, or within that share of their largest element."""
    names = [name for name in expected if name in actual]
    if not names:
        return "no output in common"
    for name in names:
        a, e = actual[name], expected[name]
        if a.shape != e.shape:
            return f"{name} is {list(a.shape)}, not {list(e.shape)}"
        absolute, relative = tolerance
        absolute = max(absolute, of_largest * numpy.nanmax(numpy.abs(e.astype(float)), initial=0))
        if not numpy.allclose(a.astype(float), e.astype(float), rtol=relative, atol=absolute, equal_nan=True):
            return f"{name} differs by {numpy.nanmax(numpy.abs(a.astype(float) - e.astype(float))):.2g}"
    return ""


def judge(program, case):
    script = script_of(case)
    artefact = artefact_of(case)
    bundle = case / "io.npz"
    follows = bundle.exists() and "--assert-output-bundle io.npz" in script
    casts = "--allow-float-casts" in script
    inputs = ["-i", f"@{bundle}"] if bundle.exists() else drawn_inputs(program, artefact)
    row = {"kind": "values" if follows else "runs"}
    outputs = {}
    for engine in ("tract", "reference"):
        outputs[engine] = run(program, artefact, inputs, engine, casts)
        if isinstance(outputs[engine], str):
            row[engine] = outputs[engine]
        elif follows:
            row[engine] = difference(outputs[engine], dict(numpy.load(bundle)), tolerance_of(script))
        else:
            row[engine] = ""
    if not follows and not row["tract"] and not row["reference"]:
        row["reference"] = difference(outputs["reference"], outputs["tract"], TOLERANCES["approximate"], 1e-5)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    scripts = sorted(arguments.cases.rglob("runme.sh"))
    if not scripts:
        sys.exit(f"{arguments.cases} holds no runme.sh")
    counts = {"tract": 0, "reference": 0}
    for script in scripts:
        name = str(script.parent.relative_to(arguments.cases))
        if arguments.only not in name:
            continue
        row = judge(arguments.program, script.parent)
        for engine in counts:
            counts[engine] += not row[engine]
        shown = {engine: row[engine].split("\n")[0] or "ok" for engine in counts}
        print(f"{name}\t{row['kind']}\t{shown['tract']}\t{shown['reference']}")
    print(f"{len(scripts)} cases: {counts['tract']} in tract, {counts['reference']} in the reference interpreter")


if __name__ == "__main__":
    main()
