# SPDX-License-Identifier: Apache-2.0
"""Exports the operator tests' models by torch.export, then with t2nnef; compares tract with Python's torch.

    operator_cases.py [--program build/t2nnef] [--list FILE] [--part K/N] FOLDER [CASE...]

FOLDER: where the operator tests left their sources ($T2NNEF_SCRIPT_CASES). A case that Python or torch.export does not take
is counted, and so is one that t2nnef refuses; one whose results differ is printed.
"""

import argparse
import collections
import logging
import re
import sys
import tempfile
import typing
import warnings
from pathlib import Path

import numpy
import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "pt2"), str(TESTS / "programs"), str(TESTS / "fork_server")]
import fork_server  # noqa: E402
from child import ChildError  # noqa: E402
from engine import engine  # noqa: E402


# By their numbers, which TorchScript has for them.
NUMBERED = {
    "dtype": {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64, 5: torch.float16, 6: torch.float32,
              7: torch.float64, 9: torch.complex64, 10: torch.complex128, 11: torch.bool, 15: torch.bfloat16},
    "layout": {0: torch.strided},
    "memory_format": {0: torch.contiguous_format, 1: torch.preserve_format, 2: torch.channels_last},
}


class ScriptTorch:
    """The module torch, as TorchScript knows it: with all operators."""

    def __getattr__(self, name):
        found = getattr(torch, name) if hasattr(torch, name) else getattr(torch.ops.aten, name)
        if not callable(found) or isinstance(found, type):
            return found
        return lambda *values, **named: found(*values, **{
            key: NUMBERED[key].get(value, value) if key in NUMBERED and type(value) is int else value
            for key, value in named.items()})


def module_of(source, arrays):
    """A module whose methods are those of the text."""
    names = {"torch": ScriptTorch(), "ops": torch.ops, "Tensor": torch.Tensor, "math": __import__("math")}
    names |= {name: getattr(typing, name) for name in ("Any", "Dict", "List", "Optional", "Tuple", "Union")}
    methods = {}
    exec(source, names, methods)
    body = methods["forward"]
    methods["forward"] = lambda self, *inputs: tuple(leaves(body(self, *inputs)))  # named tuples have no names in files
    module = type("Model", (torch.nn.Module,), methods)()
    for name, value in arrays.items():
        if name.startswith("self."):
            module.register_buffer(name.removeprefix("self."), torch.from_numpy(value))
    return module.eval()


def leaves(value):
    """The tensors of a result, and its numbers as tensors."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (bool, int, float, complex)):
        return [torch.tensor(value)]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, (list, tuple)) else []


def as_engine(array):
    """Complex numbers are pairs in artefacts."""
    return numpy.stack([array.real, array.imag], -1) if numpy.iscomplexobj(array) else array


def differences(wanted, got):
    if len(wanted) != len(got):
        yield f"{len(got)} outputs, not {len(wanted)}"
        return
    for index, (want, have) in enumerate(zip(map(as_engine, wanted), map(numpy.asarray, got))):
        tolerance = 1e-2 if want.dtype == numpy.float16 else 1e-3
        largest = numpy.abs(want[numpy.isfinite(want)]).max(initial=1)
        if have.shape != want.shape or have.dtype != want.dtype:
            yield f"output {index}: {have.dtype}{list(have.shape)}, not {want.dtype}{list(want.shape)}"
        elif not numpy.allclose(have, want, rtol=tolerance, atol=tolerance * largest, equal_nan=True):
            yield f"output {index}: {have.ravel()[:5]}, not {want.ravel()[:5]}"


class Case:
    def __init__(self, path):
        self.name = path.stem
        self.source = path.read_text()
        with numpy.load(path.with_suffix(".npz")) as arrays:
            self.arrays = {name: arrays[name] for name in arrays}

    def inputs(self):
        return [torch.from_numpy(self.arrays[name].copy()) for name in self.arrays if name.startswith("input_")]

    def run(self, program, runner, folder):
        """The kind of the end, and what there is to say of it."""
        try:
            module = module_of(self.source, self.arrays)
            wanted = [leaf.detach().resolve_conj().resolve_neg().numpy() for leaf in module(*self.inputs())]
            exported = torch.export.export(module_of(self.source, self.arrays), tuple(self.inputs()))
            torch.export.save(exported, folder / "case.pt2")
        except Exception as error:  # of any kind: torch's own
            return "not by torch.export", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        done = fork_server.run([program, "export", folder / "case.pt2", "-t", "tract", "-q", "-o", folder / "case", "--state"], 120)
        if done.returncode:
            found = re.search(r"error\[([a-z0-9-]+)\]", done.stderr)
            return f"refused: {found[1]}" if found else "failed", done.stderr
        try:
            runner.ask("load", str(folder / "case"))
            got = runner.ask("run", [as_engine(value.numpy()) for value in self.inputs()])
        except ChildError as error:
            return "tract", str(error)
        found = list(differences(wanted, got))
        if found and "empty" in self.source:
            return "uninitialised", ""
        return ("wrong", "\n".join(found)) if found else ("right", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--program", default="build/t2nnef")
    parser.add_argument("--part", default="1/1", help="2/4: the second of four")
    parser.add_argument("--list", help="a file that receives a line for each case")
    options = parser.parse_args()
    counts = collections.Counter()
    runner = engine()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # torch logs what it refuses
    with tempfile.TemporaryDirectory() as scratch, open(options.list or "/dev/null", "w") as lines:
        part, parts = map(int, options.part.split("/"))
        for path in sorted(options.folder.glob("*.py"))[part - 1::parts]:
            if options.cases and path.stem not in options.cases:
                continue
            case = Case(path)
            kind, text = case.run(options.program, runner, Path(scratch))
            counts[kind] += 1
            print(case.name, kind, text.strip().replace("\n", " | ")[:300], sep="\t", file=lines, flush=True)
            if kind in ("wrong", "failed", "tract") or (options.cases and text):
                print(f"{case.name}: {kind}\n    {case.source}\n    {text}", flush=True)
    for kind, count in counts.most_common():
        print(f"{count:6} {kind}")
    sys.exit(counts["wrong"] + counts["failed"] > 0)


if __name__ == "__main__":
    main()
