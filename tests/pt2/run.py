# SPDX-License-Identifier: Apache-2.0
"""Exports modules with torch.export, as they are and decomposed, then with t2nnef; compares tract with Python's torch.

    run.py [--program build/t2nnef] [--keep FOLDER] [CASE...]    without CASE also what older versions saved in saved/
    run.py --save FOLDER [CASE...]     writes the files of this Python's torch, with inputs and outputs
    run.py --saved FOLDER              exports such files of any torch, and compares tract with their outputs
"""

import argparse
import copy
import pickle
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy
import torch
from torch.utils import _pytree as pytree

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "pt2"), str(TESTS / "programs"), str(TESTS / "fork_server")]
import fork_server  # noqa: E402
from cases import CASES  # noqa: E402
from child import ChildError  # noqa: E402
from engine import engine  # noqa: E402


class Saved(NamedTuple):
    """Of a .pt2 file: options of t2nnef, the id that refuses it, and inputs with what torch computes from them."""

    options: tuple
    refused: str
    sets: list


def tensors_in(value):
    """Tensors, and numbers as tensors, as artefacts return them."""
    leaves = [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, (torch.Tensor, int, float, bool))]
    return [leaf.detach() if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in leaves]


def run_set(case, args):
    module = copy.deepcopy(case.module).eval()
    inputs = [leaf for leaf in pytree.tree_leaves((args, case.kwargs)) if isinstance(leaf, torch.Tensor)]
    if "--state" in case.options:
        inputs += [buffer.clone() for buffer in module.buffers()]
    inputs = [value.numpy().copy() for value in inputs]
    return inputs, [value.numpy() for value in tensors_in(module(*copy.deepcopy(args), **case.kwargs))]


def save(name, case, folder):
    """Writes NAME.pt2 and NAME_decomposed.pt2, with NAME.pickle. Returns what torch refuses, by file."""
    saved = Saved(case.options, case.refused, [run_set(case, args) for args in (case.args, *case.others)])
    failures, program = {}, None
    for file in (name, f"{name}_decomposed"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if program is None:
                    module = copy.deepcopy(case.module).eval()
                    program = torch.export.export(module, case.args, case.kwargs, dynamic_shapes=case.dynamic)
                else:
                    program = program.run_decompositions()
                torch.export.save(program, folder / f"{file}.pt2")
            (folder / f"{file}.pickle").write_bytes(pickle.dumps(tuple(saved)))
        except Exception as error:  # torch's own
            failures[file] = f"torch: {type(error).__name__}: {str(error)[:500]}"
    return failures


def differences(inputs, wanted, runner):
    got = runner.ask("run", inputs)
    for index, want in enumerate(wanted):
        have = numpy.asarray(got[index])
        if have.shape != want.shape:
            yield f"output {index}: shape {have.shape}, not {want.shape}"
        elif have.dtype != want.dtype:
            yield f"output {index}: {have.dtype}, not {want.dtype}"
        elif not numpy.allclose(have, want, rtol=1e-4, atol=1e-4, equal_nan=True):
            yield f"output {index}: differs by {numpy.abs(have - want).max()}"


def failures(path, artefact, program, runner):
    saved = Saved(*pickle.loads(path.with_suffix(".pickle").read_bytes()))
    result = fork_server.run([program, "export", path, "--target", "tract", "-q", "-o", artefact, *saved.options], 120)
    if saved.refused:
        if result.returncode == 0 or f"[{saved.refused}]" not in result.stderr:
            yield f"not refused with {saved.refused}: {result.stderr}"
        return
    if result.returncode != 0:
        yield f"exit {result.returncode}: {result.stderr}"
        return
    try:
        runner.ask("load", str(artefact))
        for inputs, wanted in saved.sets:
            yield from differences(inputs, wanted, runner)
    except ChildError as error:
        yield f"tract: {error}"


def all_failures(options, folder):
    """Pairs of a file's name and what is wrong with it."""
    runner = None if options.save else engine()
    saved = [folder] if options.saved else [] if options.save or options.cases else [TESTS / "pt2/saved"]
    for place in saved:
        for path in sorted(place.glob("*.pt2")):
            yield path.stem, list(failures(path, folder / "saved", options.program, runner))
    if options.saved:
        return
    for name in options.cases or CASES:
        refused = save(name, CASES[name], folder)
        for file in (name, f"{name}_decomposed"):
            if file in refused:
                yield file, [refused[file]]
            else:
                path = folder / f"{file}.pt2"
                yield file, [] if options.save else list(failures(path, folder / file, options.program, runner))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--program", default="build/t2nnef")
    parser.add_argument("--keep", help="a folder for the files")
    parser.add_argument("--save", help="only writes the files there")
    parser.add_argument("--saved", help="a folder that --save wrote")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    torch.manual_seed(0)
    bad = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.saved or options.save or options.keep or scratch)
        folder.mkdir(exist_ok=True)
        for file, found in all_failures(options, folder):
            count += 1
            bad += bool(found)
            for each in found:
                print(f"{file}: {re.sub(chr(10), chr(10) + '    ', each.strip())}", flush=True)
    print(f"{count - bad} of {count} right")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
