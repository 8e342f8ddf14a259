# SPDX-License-Identifier: Apache-2.0
"""Strict files of the zoo, converted to ONNX by NNEF-Tools and run in onnxruntime, against torch's own outputs.

    convert.py ZOO [--program build/t2nnef] [--markdown docs/onnx.md]

ZOO is what tests/zoo/build.py wrote; every traced or scripted model in it is exported for khronos. Needs a Python with
onnx, onnxruntime, nnef_tools and nnef.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pages"))
import stamp  # noqa: E402

ATOL, RTOL = 1e-4, 5e-4

PAGE = """# Strict NNEF files converted to ONNX

Models of the zoo are exported with `--target khronos`, converted to ONNX by NNEF-Tools {tools} (`nnef_tools.convert`),
run by onnxruntime {runtime}, and compared with torch's own outputs: atol {atol}, relative to the largest element, and
rtol {rtol}. `make onnx` runs this and writes this page. {right} of {all} convert and are equal within these tolerances.

| model | operations | largest error, in tolerances | |
|---|---|---|---|
{rows}
"""


class Outcome(NamedTuple):
    operations: int = 0
    error: float = 0.0  # of the tolerance: 1 is as much as it allows
    problem: str = ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no word"


def converted(artefact, onnx):
    words = ["--input-format", "nnef", "--output-format", "onnx", "--input-model", artefact, "--output-model", onnx]
    child = subprocess.run([sys.executable, "-m", "nnef_tools.convert", *map(str, words)], capture_output=True, text=True)
    if not onnx.exists():
        raise RuntimeError(f"NNEF-Tools: {last_line(child.stderr + child.stdout)}")


def run_onnx(onnx, inputs):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": bool}
    given = {each.name: np.ascontiguousarray(x.astype(kinds[each.type]))
             for each, x in zip(session.get_inputs(), inputs, strict=True)}
    return session.run(None, given)


def distance(actual, expected):
    if actual.shape != expected.shape:
        raise RuntimeError(f"of shape {actual.shape}, not {expected.shape}")
    allowed = ATOL * min(1.0, float(np.abs(expected).max(initial=0.0))) + RTOL * np.abs(expected)
    return float((np.abs(actual.astype(np.float64) - expected) / np.maximum(allowed, 1e-30)).max(initial=0.0))


def attempt(program, model, arrays, folder):
    artefact, onnx = folder / f"{model.stem}.nnef", folder / f"{model.stem}.onnx"
    child = subprocess.run([program, "export", str(model), "-t", "khronos", "-q", "-o", str(artefact)],
                           capture_output=True, text=True)
    if child.returncode != 0:
        return Outcome(problem=f"t2nnef: {child.stderr.splitlines()[0] if child.stderr else child.returncode}")
    count = sum(" = " in line and "variable" not in line for line in (artefact / "graph.nnef").read_text().splitlines())
    try:
        converted(artefact, onnx)
        inputs = [array for name, array in arrays.items() if not name.startswith("output_")]
        outputs = [array for name, array in arrays.items() if name.startswith("output_")]
        errors = [distance(a, e) for a, e in zip(run_onnx(onnx, inputs), outputs, strict=True)]
    except Exception as error:  # whatever a converter or an engine throws is its answer
        return Outcome(count, problem=last_line(str(error)).replace("|", "/")[:160])
    worst = float(np.max(errors))  # NaN if any is
    return Outcome(count, worst, "" if worst <= 1 else "differs")


def models_in(zoo):
    for data in sorted(zoo.glob("*.npz")):
        files = sorted(zoo.glob(f"{data.stem}.*.pt"), key=lambda path: ("traced" not in path.name, path.name))
        if files:
            yield files[0], data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=Path)
    parser.add_argument("--program", default=str(ROOT / "build/t2nnef"))
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page")
    options = parser.parse_args()
    made_at, rows, right = stamp.line(), [], 0
    for model, data in models_in(options.zoo):
        with tempfile.TemporaryDirectory() as folder:
            outcome = attempt(options.program, model, dict(np.load(data)), Path(folder))
        right += not outcome.problem
        rows.append(f"| {data.stem} | {outcome.operations or '-'} | {'-' if outcome.problem else f'{outcome.error:.2g}'} | {outcome.problem or 'equal'} |")
        print(rows[-1], flush=True)
    print(f"{right} of {len(rows)} convert and are equal")
    if options.markdown:
        from importlib.metadata import version

        page = PAGE.format(tools=version("nnef_tools"), runtime=version("onnxruntime"), atol=ATOL, rtol=RTOL, right=right,
                           all=len(rows), rows="\n".join(rows))
        options.markdown.write_text(stamp.stamped(page, made_at))


if __name__ == "__main__":
    main()
