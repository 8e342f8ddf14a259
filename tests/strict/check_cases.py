# SPDX-License-Identifier: Apache-2.0
"""Runs the operator tests' strict documents in NNEF-Tools: parser, shape inference, interpreter.

usage: check_cases.py FOLDER [--programs NAME,NAME...] [CASE...]

FOLDER holds what tests/support/strict_case.cpp left: a folder per program and case with model/,
input_N.dat, torch's output_N.dat and tolerance.txt, how close the test wants each output. Other
programs than the named ones are gone, and do not count. Prints what fails; exits with 1 if
anything does.
"""
import argparse
import collections
import multiprocessing
import pathlib
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def read_dat(path):
    import nnef
    with open(path, "rb") as file:
        return nnef.read_tensor(file)


def kind(array):
    """NNEF's types have no width."""
    return {"b": "logical", "i": "integer", "u": "integer"}.get(np.asarray(array).dtype.kind, "scalar")


def difference(expected, actual, bounds):
    """What is wrong with one output, or None."""
    atol, rtol, outliers = bounds
    if kind(expected) != kind(actual):
        return f"{kind(actual)}, expected {kind(expected)}"
    if list(expected.shape) != list(actual.shape):
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    a, b = np.asarray(expected, np.float64), np.asarray(actual, np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "NaN in other places"
    infinite = np.isinf(a) | np.isinf(b)
    if not np.array_equal(a[infinite], b[infinite]):
        return "infinities in other places"
    finite = np.isfinite(a)
    a, b = a[finite], b[finite]
    if not a.size:
        return None
    scale = min(1.0, float(np.abs(a).max()))
    outside = np.abs(a - b) > atol * scale + rtol * np.abs(a)
    return None if outside.mean() <= outliers else f"off by {np.abs(a - b).max():.3g} (largest value {np.abs(a).max():.3g})"


def run(folder):
    """(name, None or what is wrong) for one case."""
    import nnef
    import torch
    from nnef_tools.interpreter.pytorch import Interpreter
    torch.set_num_threads(1)
    name = f"{folder.parent.name}/{folder.name}"
    try:
        graph = nnef.load_graph(str(folder / "model"))
        nnef.infer_shapes(graph)
        inputs = [read_dat(folder / f"input_{i}.dat") for i in range(len(graph.inputs))]
        outputs = list(Interpreter(str(folder / "model"), device="cpu")(inputs).values())
        bounds = np.loadtxt(folder / "tolerance.txt", ndmin=2)  # none: the test compares nothing
        for i, output in enumerate(outputs):
            wrong = difference(read_dat(folder / f"output_{i}.dat"), output, bounds[i])
            if wrong:
                return name, f"output_{i}: {wrong}"
    except Exception as error:  # whatever NNEF-Tools throws is the finding
        return name, f"{type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}"
    return name, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--programs", type=lambda text: text.split(","))
    parser.add_argument("cases", nargs="*")
    options = parser.parse_intermixed_args()
    left = [f for f in options.root.glob("*/*") if not options.programs or f.parent.name in options.programs]
    folders = [options.root / case for case in options.cases] or sorted(f for f in left if (f / "model").is_dir())
    refused = sum((f / "refused.txt").exists() for f in left)
    wrong = collections.OrderedDict()
    with multiprocessing.Pool(2) as pool:
        for name, problem in pool.imap(run, folders, chunksize=16):
            if problem:
                wrong[name] = problem
    for name, problem in wrong.items():
        print(f"{name}: {problem}")
    print(f"{len(folders) - len(wrong)} of {len(folders)} right, {refused} refused")
    sys.exit(bool(wrong) or not folders)


if __name__ == "__main__":
    main()
