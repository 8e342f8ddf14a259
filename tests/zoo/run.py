"""Exports and checks the zoo: run.py OUTDIR [NAME ...] prints a table and writes OUTDIR/table.md.

A row fails if the export or its check does, or if the outputs react to the inputs by fewer than 20
tolerances: then the check would have passed a wrong file as well.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIN_RESPONSE = 20
PROGRAM = Path(__file__).resolve().parents[2] / "build/t2nnef"
COLUMNS = ["model", "how", "nodes", "exported", "checked", "response", "max error", "seconds", "peak MB"]


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


def export(program, model, npz, options):
    """The report of one export, with what this process measured of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [program, "export", model, "--target", options.target, "--check", "-i", f"@{npz}"]
        command += ["-o", Path(folder) / "model.nnef.tgz", "--report", report]
        code, said, seconds, peak = run([str(word) for word in command])
        result = json.loads(report.read_text()) if report.exists() else {"diagnostics": []}
    return result | {"exit_code": code, "said": said, "seconds": seconds, "peak": peak}


def worst(outputs, key, choose):
    """JSON has no infinity: None stands for it."""
    return choose((float("inf") if row[key] is None else row[key] for row in outputs), default=None)


def shown(value):
    return "-" if value is None else f"{value:.2g}"


def row_of(name, how, result):
    """Cells of the table, and whether the row is good."""
    outputs = result.get("check", {}).get("outputs", [])
    response = worst(outputs, "response", min)
    exported = result["exit_code"] == 0
    checked = exported and bool(outputs) and all(row["verdict"] == "ok" for row in outputs)
    good = checked and response >= MIN_RESPONSE
    errors = [d["id"] for d in result["diagnostics"] if d["severity"] == "error"]
    cells = [
        name,
        how,
        str(result.get("ops", {}).get("total", "-")),
        "yes" if exported else ", ".join(errors) or f"exit {result['exit_code']}",
        "ok" if good else "no",
        shown(response),
        shown(worst(outputs, "max_abs", max)),
        f"{result['seconds']:.1f}",
        f"{result['peak'] / 1e6:.0f}",
    ]
    return cells, good


def table(rows):
    lines = [COLUMNS, ["---"] * len(COLUMNS)] + rows
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def models(folder, names):
    """Pairs of name and way, of what build.py wrote."""
    found = []
    for npz in sorted(folder.glob("*.npz")):
        if not names or npz.stem in names:
            found += [(npz.stem, how) for how in ("traced", "scripted") if (folder / f"{npz.stem}.{how}.pt").exists()]
    missing = set(names) - {name for name, _ in found}
    if missing:
        sys.exit(f"not built: {', '.join(sorted(missing))}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="OUTDIR", type=Path, help="where build.py wrote the zoo")
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: all that is built")
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--target", default="tract")
    options = parser.parse_intermixed_args()

    rows, failed = [], []
    todo = models(options.folder, options.names)
    if not todo:
        sys.exit(f"{options.folder} holds no models: build.py makes them")
    for name, how in todo:
        npz = options.folder / f"{name}.npz"
        result = export(options.program, options.folder / f"{name}.{how}.pt", npz, options)
        cells, good = row_of(name, how, result)
        rows.append(cells)
        print("  ".join(cells), flush=True)
        if not good:
            failed.append(f"{name} ({how})")
            print(result["said"], file=sys.stderr)
    (options.folder / "table.md").write_text(table(rows))
    print(f"\n{table(rows)}\n{len(rows) - len(failed)} of {len(rows)} exported and checked")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
