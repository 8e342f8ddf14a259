# SPDX-License-Identifier: Apache-2.0
"""Exports modules with torch.export, as they are and decomposed, then with t2nnef; compares tract with Python's torch.

    run.py [--program build/t2nnef] [--keep FOLDER] [CASE...]
"""

import argparse
import copy
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy
import torch
from torch.utils import _pytree as pytree

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "programs")]
from cases import CASES  # noqa: E402
from child import ChildError  # noqa: E402
from engine import engine  # noqa: E402


def exported(case, is_decomposed):
    module = copy.deepcopy(case.module).eval()
    program = torch.export.export(module, case.args, case.kwargs, dynamic_shapes=case.dynamic)
    return program.run_decompositions() if is_decomposed else program


def tensors_in(value):
    """Tensors, and numbers as tensors, as artefacts return them."""
    leaves = [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, (torch.Tensor, int, float, bool))]
    return [leaf.detach() if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in leaves]


def states_of(module):
    return [buffer.clone() for buffer in module.buffers()]


def differences(case, runner, args):
    module = copy.deepcopy(case.module).eval()
    inputs = [leaf for leaf in pytree.tree_leaves((args, case.kwargs)) if isinstance(leaf, torch.Tensor)]
    if "--state" in case.options:
        inputs += states_of(module)
    wanted = tensors_in(module(*copy.deepcopy(args), **case.kwargs))
    got = runner("run", [value.numpy() for value in inputs])
    for index, want in enumerate(wanted):
        have = numpy.asarray(got[index])
        if have.shape != tuple(want.shape):
            yield f"output {index}: shape {have.shape}, not {tuple(want.shape)}"
        elif have.dtype != want.numpy().dtype:
            yield f"output {index}: {have.dtype}, not {want.numpy().dtype}"
        elif not numpy.allclose(have, want.numpy(), rtol=1e-4, atol=1e-4, equal_nan=True):
            yield f"output {index}: differs by {numpy.abs(have - want.numpy()).max()}"


def failures(name, case, is_decomposed, program, runner, folder):
    source, artefact = folder / f"{name}.pt2", folder / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(exported(case, is_decomposed), source)
    result = subprocess.run([program, "export", source, "--target", "tract", "-q", "-o", artefact, *case.options],
                            capture_output=True, text=True, timeout=120, check=False)
    if case.refused:
        if result.returncode == 0 or f"[{case.refused}]" not in result.stderr:
            yield f"not refused with {case.refused}: {result.stderr}"
        return
    if result.returncode != 0:
        yield f"exit {result.returncode}: {result.stderr}"
        return
    try:
        runner("load", str(artefact))
        for args in (case.args, *case.others):
            yield from differences(case, runner, args)
    except ChildError as error:
        yield f"tract: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--program", default="build/t2nnef")
    parser.add_argument("--keep", help="a folder for the files")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    torch.manual_seed(0)
    tract = engine()

    def runner(kind, value):
        return tract.ask(kind, value)

    bad = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        folder.mkdir(exist_ok=True)
        for name, case in CASES.items():
            for is_decomposed in (False, True) if not options.cases or name in options.cases else ():
                full = f"{name}{'_decomposed' if is_decomposed else ''}"
                try:
                    found = list(failures(full, case, is_decomposed, options.program, runner, folder))
                except Exception as error:  # torch's own
                    found = [f"torch: {type(error).__name__}: {str(error)[:500]}"]
                count += 1
                bad += bool(found)
                for each in found:
                    print(f"{full}: {re.sub(chr(10), chr(10) + '    ', each.strip())}")
    print(f"{count - bad} of {count} right")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
