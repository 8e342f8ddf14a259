# SPDX-License-Identifier: Apache-2.0
"""Exports and checks the zoo: run.py OUTDIR [NAME ...], in the order of models.py.

A file fails if the export or its check does, or if the check says nothing of an output or an input:
then it would have passed a wrong file as well. A model is good if all its files are. Results stay in OUTDIR, so that the table is whole after a run of a few names.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pages"))
import stamp  # noqa: E402
import totals  # noqa: E402

PROGRAM = ROOT / "build/t2nnef"
COLUMNS = ["model", "parameters", "saved", "nodes", "exported", "checked", "response", "moved", "max error", "x torch"]
TIMES = ["seconds", "peak MB"]  # of this machine: not for the page

PAGE = """# The model zoo

Published architectures with seeded random weights, each exported to {target} and checked in
{engine} against LibTorch. `make zoo` builds them, runs this and writes this page.
[tests/zoo](../tests/zoo/README.md) explains the method and the columns. The list was fixed before its first
export. A star after the parameters marks the published size. Models marked *calmed* have larger biases than
their random ones, because torch's own rounding used most of the tolerance before.

**{summary}**

{failures}{table}"""


def run(command):
    """Exit code, what was said, seconds and peak memory in bytes of a child."""
    with tempfile.TemporaryFile() as said:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)  # or Popen waits again
        said.seek(0)
        text = said.read().decode(errors="replace")
    return child.returncode, text, seconds, usage.ru_maxrss * 1024


PARSE = """
import sys, nnef
graph = nnef.load_graph(sys.argv[1])
nnef.infer_shapes(graph)
"""


def parsed(model):
    """What NNEF-Tools' parser and shape inference say against a strict model, or None."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "build/nnef_tools")}
    python = os.environ.get("T2NNEF_PYTHON", sys.executable)
    child = subprocess.run([python, "-c", PARSE, str(model)], env=environment, capture_output=True, text=True)
    lines = child.stderr.strip().splitlines()
    return None if child.returncode == 0 else (lines or ["no words"])[-1]


# These amplify rounding (README.md): how many times the tolerance two right runs may differ.
AMPLIFIERS = {"convmixer_768_32": 12, "davit_tiny": 4}


def is_right(expected, actual, name, quantum):
    """Whether two outputs are the same but for rounding; in quanta, where the model is quantised."""
    if expected.shape != actual.shape:
        return False
    error = np.abs(actual - expected)
    if quantum:
        return bool((error < 2.5 * quantum).all() and (error < 1.5 * quantum).mean() >= 0.999)
    bound = 1e-4 * min(1.0, np.abs(expected).max()) + 5e-4 * np.abs(expected)
    return bool((error <= bound * AMPLIFIERS.get(name, 1)).all())


def compared(program, written, npz):
    """What differs between `t2nnef run` and what the module itself gave when the zoo was built, or None."""
    out = written.with_name("out.npz")
    command = [program, "run", written, "-i", npz, "-o", out, "--engine", "tract"]
    code, said, _, _ = run([str(word) for word in command])
    if code != 0:
        return f"run: {reason({'said': said, 'exit_code': code})}"
    with np.load(npz) as kept, np.load(out) as arrays:
        if "output_0" not in kept:  # of an older build
            return None
        expected, actual = kept["output_0"], arrays[arrays.files[0]]
    quantum = facts_of(npz.parent, npz.stem).get("quantum")
    return None if is_right(expected, actual, npz.stem, quantum) else "run gives other values than the module gave in Python"


def export(program, model, npz, target):
    """The report of one export, with what this process measured of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        is_strict = target.startswith("khronos")
        written = Path(folder) / ("model" if is_strict else "model.nnef.tar")
        command = [program, "export", model, "--target", target, "--check", "-i", f"@{npz}"]
        command += ["--engine", "reference" if is_strict else "tract", "-o", written, "--report", report]
        code, said, seconds, peak = run([str(word) for word in command])
        result = json.loads(report.read_text()) if report.exists() else {"diagnostics": []}
        if not is_strict and code == 0 and (problem := compared(program, written, npz)):
            code, said = 5, f"error: {problem}"
        if is_strict and code == 0 and (problem := parsed(written)):
            return result | {"exit_code": 1, "said": f"error: NNEF-Tools: {problem}", "seconds": seconds, "peak": peak}
    return result | {"exit_code": code, "said": said, "seconds": seconds, "peak": peak}


def worst(outputs, key, choose):
    """JSON has no infinity: None stands for it."""
    return choose((float("inf") if row[key] is None else row[key] for row in outputs), default=None)


def shown(value):
    return "-" if value is None else f"{value:.2g}"


def reason(result):
    """The first line that says what went wrong."""
    lines = [line.strip() for line in result["said"].splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("error", "internal error"))]
    return (errors or lines[-1:] or [f"exit code {result['exit_code']}"])[0]


def verdict(result):
    """What the table says about one file; `failure` is None for a good one."""
    outputs = result.get("check", {}).get("outputs", [])
    response = worst(outputs, "response", min)
    exported = result["exit_code"] == 0
    checked = exported and bool(outputs) and all(row["verdict"] == "ok" for row in outputs)
    blind = [d["message"] for d in result["diagnostics"] if d["id"] == "inconclusive-check"]
    good = checked and not blind
    errors = [d["id"] for d in result["diagnostics"] if d["severity"] == "error"]
    cells = {
        "nodes": str(result.get("ops", {}).get("total", "-")),
        "exported": "yes" if exported else ", ".join(errors) or f"exit {result['exit_code']}",
        "checked": "ok" if good else "no",
        "response": shown(response),
        "moved": shown(worst(outputs, "moved", min)),
        "max error": shown(worst(outputs, "max_abs", max)),
        "x torch": shown(max((row["times_torch"] for row in outputs if row["times_torch"] is not None), default=None)),
        "seconds": f"{result['seconds']:.1f}",
        "peak MB": f"{result['peak'] / 1e6:.0f}",
    }
    return {"cells": cells, "failure": None if good else blind[0] if blind else reason(result)}


def size(facts):
    return f"{facts['parameters'] / 1e6:.3g} M{'*' if facts['published'] else ''}"


def shown_name(name, facts):
    return f"{name} (calmed)" if facts.get("calmed") else name


def facts_of(folder, name):
    """What build.py wrote, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def result_of(folder, name, way, target):
    """Where the result of one file stays."""
    return folder / f"{name}.{way}.{'khronos.' if target.startswith('khronos') else ''}result"


def results_of(folder, names, target):
    """All of them, in the order of the names."""
    return [result_of(folder, name, way, target) for name in names for way in (facts_of(folder, name) or {"ways": []})["ways"]]


def rows_of(folder, name, target):
    """One row per file of a model, and (file, reason) of those that are not good."""
    facts = facts_of(folder, name)
    if facts is None:
        return [{"model": name, "exported": "not built"}], [(name, "not built")]
    rows, failures = [], []
    for way in facts["ways"]:
        path = result_of(folder, name, way, target)
        result = json.loads(path.read_text()) if path.exists() else {"cells": {}, "failure": "not run"}
        rows.append({"model": shown_name(name, facts), "parameters": size(facts), "saved": way} | result["cells"])
        if result["failure"]:
            failures.append((f"{name} ({way})", result["failure"]))
    return rows, failures


def table(rows, columns):
    lines = [columns, ["---"] * len(columns)] + [[row.get(c, "-") for c in columns] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def run_models(options):
    made_at = stamp.line()
    for name in options.names:
        facts = facts_of(options.folder, name)
        for way in facts["ways"] if facts else []:
            npz, model = options.folder / f"{name}.npz", options.folder / f"{name}.{way}.pt"
            result = export(options.program, model, npz, options.target)
            row = verdict(result)
            path = result_of(options.folder, name, way, options.target)
            path.write_text(json.dumps(row))
            stamp.keep(path, made_at)
            print("  ".join([name, size(facts), way, *row["cells"].values()]), flush=True)
            if row["failure"]:
                print(row["failure"], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="OUTDIR", type=Path, help="where build.py wrote the zoo")
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: the whole list")
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--target", default="tract")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page with the table")
    options = parser.parse_intermixed_args()
    if not (options.folder / "names.txt").exists():
        sys.exit(f"{options.folder} holds no models: build.py makes them")
    # Not from models.py: a child's peak memory includes what its parent had, and torch has much.
    names = (options.folder / "names.txt").read_text().split()
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    options.names = options.names or names
    run_models(options)
    each = [rows_of(options.folder, name, options.target) for name in names]
    rows = [row for some, _ in each for row in some]
    failures = [failure for _, some in each for failure in some]
    good = sum(not some for _, some in each)
    summary = f"{good} of {len(names)} models exported and checked ({len(rows) - len(failures)} of {len(rows)} files)"
    print(f"\n{table(rows, COLUMNS + TIMES)}\n{summary}")
    if options.markdown:
        listed = "".join(f"- {name}: `{why}`\n" for name, why in failures)
        listed = f"Not exported, or not right:\n\n{listed}\n" if failures else ""
        engine = "the reference interpreter and NNEF-Tools' parser" if options.target.startswith("khronos") else "that engine"
        page = PAGE.format(target=options.target, engine=engine, summary=summary, failures=listed, table=table(rows, COLUMNS))
        page = totals.inserted(options.markdown.stem, page)
        options.markdown.write_text(stamp.stamped(page, stamp.oldest(results_of(options.folder, names, options.target))))
    if failures:
        sys.exit("failed:\n" + "".join(f"  {name}: {why}\n" for name, why in failures))


if __name__ == "__main__":
    main()
