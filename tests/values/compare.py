# SPDX-License-Identifier: Apache-2.0
"""What models of tests share that are run at other values: each is exported once, run at other inputs, and
compared with torch."""

import argparse
import pathlib
import sys
import tempfile
import warnings
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fork_server"))
import fork_server  # noqa: E402


class Case(NamedTuple):
    module: nn.Module
    runs: list  # of inputs; the first are the sample
    options: list = []
    kinds: tuple = ("traced", "scripted")


def saved(folder, name, tensors):
    path = folder / name
    np.savez(path, **{f"input_{i}": each.numpy() for i, each in enumerate(tensors)})
    return f"@{path}"


def called(program, *arguments):
    run = fork_server.run([program, *arguments])
    if run.returncode:
        raise RuntimeError(f"{arguments[0]}: exit {run.returncode}\n{run.stderr}")


def flat(output):
    if isinstance(output, Tensor):
        return [output.numpy()]
    return [each for part in output for each in flat(part)]


def difference(want, path):
    arrays = np.load(path)
    got = [arrays[name] for name in arrays.files]
    if len(got) != len(want):
        return f"{len(got)} outputs for {len(want)}"
    for i, (a, b) in enumerate(zip(want, got)):
        if a.shape != b.shape:
            return f"output {i} is {b.shape} for {a.shape}"
        least = 1e-5 + 1e-6 * np.abs(a[np.isfinite(a)]).max(initial=0)  # sums of large numbers
        if not np.allclose(a, b, rtol=1e-4, atol=least, equal_nan=True):
            return f"output {i} is off by {np.abs(a - b).max()}"
    return ""


def check(program, folder, model, case):
    """What is wrong, "" if nothing is."""
    torch.jit.save(model, folder / "model.pt")
    artefact = str(folder / "model.nnef.tgz")
    target = [] if "-t" in case.options else ["-t", "tract"]
    called(program, "export", str(folder / "model.pt"), "-i", saved(folder, "sample.npz", case.runs[0]),
           "-o", artefact, *target, *case.options)
    for i, inputs in enumerate(case.runs):
        with torch.no_grad():
            want = flat(case.module(*(each.clone() for each in inputs)))
        out = folder / "out.npz"
        called(program, "run", artefact, "-i", saved(folder, "in.npz", inputs), "-o", str(out))
        if found := difference(want, out):
            return f"run {i}: {found}"
    return ""


def failures(program, cases, word):
    """How many cases are wrong; what each gave is printed."""
    wrong = 0
    for name, case in cases.items():
        if word not in name:
            continue
        case.module.eval()
        for kind in case.kinds:
            with tempfile.TemporaryDirectory() as folder, torch.no_grad():
                model = (torch.jit.script(case.module) if kind == "scripted"
                         else torch.jit.trace(case.module, case.runs[0], check_trace=False))
                try:
                    found = check(program, pathlib.Path(folder), model, case)
                except RuntimeError as error:
                    found = str(error)
            wrong += bool(found)
            print(f"{name}, {kind}: {found or f'right in {len(case.runs)} runs'}", flush=True)
    return wrong


def main(description, make):
    """The command line of a folder of such models; `make` gives the cases by name. Returns the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True)
    parser.add_argument("word", nargs="?", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.manual_seed(5)
    return 1 if failures(options.program, make(), options.word) else 0
