# SPDX-License-Identifier: Apache-2.0
"""Every fixture, exported and run by `t2nnef run` in tract, against torch.jit.load of the same file;
trained ones on their labels, too.

    fixtures.py --program build/t2nnef

Nothing of t2nnef takes part in the reference: the file is loaded by torch itself, in Python.
"""

import argparse
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/fork_server"))
import fork_server  # noqa: E402
RTOL, ATOL = 5e-4, 1e-4
TIE = 1e-4  # logits that are nearer than this are the same
# Their inputs are not in input.npz; tests/programs and tests/cli run the like of them.
OTHER_INPUTS = {"variable_length", "foreign"}
# Trained models with labels for test.npz, and the least part of them that torch gets right.
TRAINED = {"digits_cnn": 0.97, "digits_qat": 0.95, "digits_brevitas": 0.75, "series_gru": 0.5, "char_lm": 0.6}
# Axes of their inputs that test.npz makes longer.
AXES = {"char_lm": ("ids:0=B", "ids:1=S")}


def argument(kind, name, arrays):
    """What forward takes under a name, from flat arrays: x_tokens, pair_0."""
    if kind in ("Tensor", "Optional[Tensor]"):
        return torch.from_numpy(arrays.pop(name))
    below = {key[len(name) + 1:]: key for key in arrays if key.startswith(name + "_")}
    values = {key: torch.from_numpy(arrays.pop(full)) for key, full in below.items()}
    return values if kind.startswith("Dict") else tuple(values[str(i)] for i in range(len(values)))


def in_torch(path, npz):
    model = torch.jit.load(str(path))
    arrays = {name: value.copy() for name, value in np.load(npz).items()}
    given = [argument(str(each.type), each.name, arrays) for each in model.forward.schema.arguments[1:]]
    if arrays:
        raise ValueError(f"{npz} holds more than forward takes: {', '.join(arrays)}")
    with torch.no_grad():
        return flat(model(*given))


def flat(output):
    if isinstance(output, torch.Tensor):
        return [output.numpy()]
    if output is None:
        return []
    values = output.values() if isinstance(output, dict) else output
    return [tensor for each in values for tensor in flat(each)]


def in_t2nnef(program, path, npz, folder, samples=None, more=()):
    """The outputs in the order of the artefact, which the table of `run` shows."""
    written, out = folder / "model.nnef.tar", folder / "out.npz"
    run([program, "export", path, "-t", "tract", "-i", f"@{samples or npz}", *more, "-o", written])
    said = run([program, "run", written, "-i", npz, "--engine", "tract", "-o", out])
    order = [line.split()[0] for line in said.splitlines() if re.match(r"  \S+ +(f|i|u|b)\w+\[", line)]
    arrays = np.load(out)
    return [arrays[name] for name in order]


def cost(logits, labels):
    """Of the labels, in nats each: e to its power is the perplexity."""
    logits = torch.from_numpy(logits).double().flatten(0, -2)
    return torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels).flatten()).item()


def judged(program, path, least):
    """What is wrong with the labels that the artefact finds; nothing if it finds those of torch, at their cost."""
    folder, name = path.parent, path.relative_to(ROOT / "fixtures")
    test, model = np.load(folder / "test.npz"), torch.jit.load(str(path))
    argument = model.forward.schema.arguments[1].name
    axes = [word for axis in AXES.get(folder.name, (f"{argument}:0=B",)) for word in ("--dynamic", axis)]
    with torch.no_grad():
        logits = model(torch.from_numpy(test[argument])).numpy()
    with tempfile.TemporaryDirectory() as scratch:
        np.savez(f"{scratch}/x.npz", **{argument: test[argument]})
        [actual] = in_t2nnef(program, path, f"{scratch}/x.npz", Path(scratch), folder / "input.npz", axes)
    torch_right, tract_right = (float((y.argmax(-1) == test["labels"]).mean()) for y in (logits, actual))
    found = np.take_along_axis(logits, actual.argmax(-1)[..., None], -1)[..., 0]
    if torch_right < least or (found < logits.max(-1) - TIE).any():
        return (f"{name}: {tract_right:.2%} of the labels are right in tract, {torch_right:.2%} in torch,"
                f" which should be {least:.0%} at least, and the same ones")
    torch_cost, tract_cost = cost(logits, test["labels"]), cost(actual, test["labels"])
    if abs(tract_cost - torch_cost) > TIE:
        return f"{name}: a label costs {tract_cost:.6f} nats in tract, {torch_cost:.6f} in torch"
    return None


def run(command):
    child = fork_server.run(command)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {child.returncode}\n{child.stderr}")
    return child.stdout


def difference(expected, actual):
    if len(expected) != len(actual) or not expected:
        return f"{len(actual)} outputs instead of {len(expected)}"
    for i, (a, b) in enumerate(zip(expected, actual)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {i}: {b.dtype}{list(b.shape)} instead of {a.dtype}{list(a.shape)}"
        is_close = np.allclose(b, a, rtol=RTOL, atol=ATOL) if a.dtype.kind == "f" else (a == b).all()
        if not is_close:
            return f"output {i} differs"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failures, count = [], 0
    for npz in sorted((ROOT / "fixtures").glob("*/input.npz")):
        if npz.parent.name in OTHER_INPUTS:
            continue
        for path in sorted(npz.parent.glob("*.pt")):
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    expected = in_torch(path, npz)
                    found = difference(expected, in_t2nnef(options.program, path, npz, Path(folder)))
                except (RuntimeError, ValueError, KeyError) as error:
                    found = str(error)
            if found:
                failures.append(f"{path.relative_to(ROOT)}: {found}")
    fixtures = count - len(failures)
    failures += filter(None, (judged(options.program, path, least) for name, least in TRAINED.items()
                              for path in sorted((ROOT / "fixtures" / name).glob("*.pt"))))
    print("\n".join([*failures, f"{fixtures} of {count} fixtures compute what torch does"]))
    sys.exit(bool(failures or count < 10))


if __name__ == "__main__":
    main()
