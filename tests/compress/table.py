# SPDX-License-Identifier: Apache-2.0
"""The trained fixtures under every compression, and what other tools make of them.

    table.py [MODEL...] [--markdown docs/compression_table.md]

Results stay in --out, so that the table is whole after a run of some models.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/pages")]
import judged  # noqa: E402
import stamp  # noqa: E402
import totals  # noqa: E402

PEERS_PYTHON = ROOT / "build/peers/bin/python"
USAGE = 2  # exit code


class Row(NamedTuple):
    name: str
    compress: object = None  # a word of --compress, or a configuration by scope
    calibrated: bool = False


Q4 = {"bits": 4, "format": "q4_0"}
ROWS = [
    Row("f32"),
    Row("f16", "f16"),
    Row("int8 static", "int8", calibrated=True),
    Row("int8 weights", "int8-weights"),
    Row("q4_0 nearest", {"": {"weights": {**Q4, "rounding": "nearest"}}}),
    Row("q4_0 GPTQ", {"": {"weights": {**Q4, "rounding": "gptq"}}}, calibrated=True),
    Row("50 % pruned", {"": {"prune": {"sparsity": 0.5}}}),
    Row("2:4 pruned", {"": {"prune": {"pattern": "2:4"}}}),
    Row("50 % pruned, int8 weights", {"": {"prune": {"sparsity": 0.5}, "weights": {"bits": 8}}}),
]
PEER_ROWS = ["torch_to_nnef f32", "torch_to_nnef q4_0", "torch_to_nnef q4_0 with embeddings",
             "torch FX int8", "torch dynamic int8"]
COLUMNS = ["", ".tgz", "of f32", ".dat", "of f32", "{measure}", "lost", "time"]

PAGE = """# Compression of trained models: size, accuracy, time

The trained fixtures, exported to tract with every compression, and their accuracy, or error, on `test.npz` in tract
{engine}. `make compression` runs this and writes this page; [tests/compress](../tests/compress/README.md) explains the
method. Sizes are in kB (1000 bytes): the archive, and the weights in it. Time is processor time for one call in the
engine, relative to f32; the best of {rounds} interleaved rounds. Rows of torch are TorchScript files, run by torch itself.
The first table has the size of each archive, of that in f32, and what it loses.

{tables}"""


class Result(NamedTuple):
    """Of one row of one model; what is absent was not to be had, `problem` says why."""
    archive: Optional[int] = None
    blobs: Optional[int] = None
    value: Optional[float] = None
    problem: str = ""
    is_engine: bool = True  # runs in tract


def run(command, **more):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", **more)


def reason(child):
    """The first line that says what went wrong."""
    lines = [line.strip() for line in child.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("error", "internal error")) or "Error" in line]
    return (errors or lines[-1:] or [f"exit code {child.returncode}"])[0]


def slug(name):
    return re.sub(r"\W+", "_", name)


def artefact(options, model, name):
    return options.out / f"{model.name}.{slug(name)}.nnef.tgz"


def in_engine(options, *words, limit=600):
    environment = {**os.environ, "T2NNEF_WHEEL": str(options.wheel), "OMP_NUM_THREADS": "1"}
    return run([sys.executable, HERE / "engine.py", *words], env=environment, timeout=limit)


def judged_file(options, model, path):
    """Of an artefact that is there."""
    with tarfile.open(path) as archive:
        blobs = sum(each.size for each in archive if each.name.endswith(".dat"))
    child = in_engine(options, "score", model.name, path)
    if child.returncode != 0:
        return Result(path.stat().st_size, blobs, problem=f"tract: {reason(child)}")
    return Result(path.stat().st_size, blobs, float(child.stdout))


def exported(options, model, row):
    path = artefact(options, model, row.name)
    path.unlink(missing_ok=True)
    command = [options.program, "export", model.model, "-t", "tract", "-o", path]
    command += ["-i", f"@{judged.FIXTURES / model.name / 'input.npz'}"]
    for axis, symbol in model.axes.items():
        command += ["--dynamic", f"{model.argument}:{axis}={symbol}"]
    if isinstance(row.compress, dict):
        config = path.with_name(f"{slug(row.name)}.json")
        config.write_text(json.dumps(row.compress))
        command += ["--compress", config]
    elif row.compress:
        command += ["--compress", row.compress]
    if row.calibrated:
        command += ["--calibrate", f"@{judged.FIXTURES / model.name / 'calibration.npz'}"]
    child = run(command, timeout=600)
    if child.returncode == USAGE and row.compress:
        return Result(problem=f"not built: {reason(child)}")
    if child.returncode != 0:
        return Result(problem=f"exit {child.returncode}: {reason(child)}")
    if row.compress and path.read_bytes() == artefact(options, model, "f32").read_bytes():
        return Result(problem="the file is that of f32")
    return judged_file(options, model, path)


def of_peer(options, model, name):
    path = artefact(options, model, name)
    noted = path.with_name(f"{model.name}.{slug(name)}.json")
    if not noted.exists():
        return Result(problem="peers.py failed", is_engine=False)
    result = json.loads(noted.read_text())
    if "error" in result:
        return Result(problem=result["error"], is_engine=False)
    if "size" in result:
        return Result(result["size"], None, result["value"], is_engine=False)
    return judged_file(options, model, path)


def times(options, model, results):
    """Seconds by name of row, of those that run in the engine."""
    names = [name for name, result in results.items() if result.is_engine and result.value is not None]
    child = in_engine(options, "time", model.name, options.rounds,
                      *(artefact(options, model, name) for name in names))
    if child.returncode != 0:
        sys.exit(f"{model.name}: {child.stderr}")
    return dict(zip(names, map(float, child.stdout.split())))


def part(value, whole):
    return f"{value / whole:.2f}" if value is not None and whole else "-"


def kilobytes(size):
    return "-" if size is None else f"{size / 1000:.1f}"


def cells(model, name, results, seconds):
    result, f32 = results[name], results["f32"]
    if result.value is None:
        worth = [result.problem.replace("|", "\\|"), "-"]
    else:
        worth = [judged.shown(model.measure, result.value),
                 "-" if name == "f32" else judged.loss(model.measure, result.value, f32.value)]
    return [name, kilobytes(result.archive), part(result.archive, f32.archive), kilobytes(result.blobs),
            part(result.blobs, f32.blobs), *worth, part(seconds.get(name), seconds.get("f32"))]


def table(model, results, seconds):
    head = [column.format(measure=model.measure) for column in COLUMNS]
    lines = [head, ["---"] * len(head)] + [cells(model, name, results, seconds) for name in results]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return f"## {model.name}\n\nOne call of {list(model.timed)}: f32 takes {1e3 * seconds['f32']:.3g} ms here.\n\n{text}"


def measured(options, model):
    """The section of one model."""
    for old in options.out.glob(f"{model.name}.*.json"):
        old.unlink()
    python = PEERS_PYTHON if PEERS_PYTHON.exists() else sys.executable
    child = run([python, HERE / "peers.py", options.out, model.name], env={**os.environ, "OMP_NUM_THREADS": "1"})
    if child.returncode != 0:
        print(f"peers.py: {reason(child)}", file=sys.stderr, flush=True)
    results = {}
    for row in ROWS:
        results[row.name] = exported(options, model, row)
        print(f"{model.name}: {row.name}: {results[row.name]}", file=sys.stderr, flush=True)
    for name in PEER_ROWS:
        results[name] = of_peer(options, model, name)
        print(f"{model.name}: {name}: {results[name]}", file=sys.stderr, flush=True)
    if results["f32"].value is None:
        sys.exit(f"{model.name}: f32: {results['f32'].problem}")
    return table(model, results, times(options, model, results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="MODEL", nargs="*")
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--wheel", type=Path, default=ROOT / "build/engines/tract-0.23.9")
    parser.add_argument("--out", type=Path, default=ROOT / "build/compress")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page")
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - {model.name for model in judged.MODELS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    options.out.mkdir(parents=True, exist_ok=True)
    made_at, sections = stamp.line(), []
    for model in judged.MODELS:
        section = options.out / f"{model.name}.md"
        if not options.names or model.name in options.names:
            section.write_text(measured(options, model))
            stamp.keep(section, made_at)
            print(section.read_text(), flush=True)
        sections.append(section)
    if options.markdown:
        tables = "\n".join(each.read_text() for each in sections if each.exists())
        page = PAGE.format(engine=options.wheel.name.removeprefix("tract-"), rounds=options.rounds, tables=tables)
        page = totals.inserted(options.markdown.stem, page)
        options.markdown.write_text(stamp.stamped(page, stamp.oldest(sections)))


if __name__ == "__main__":
    main()
