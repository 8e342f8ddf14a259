"""Builds the zoo: build.py OUTDIR [NAME ...] writes NAME.{traced,scripted}.pt and NAME.npz."""

import argparse
import inspect
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from models import MODELS


def randomise_constants(model):
    """Zero heads, biases and tiny layer scales would hide most of the model from its output."""
    for parameter in model.parameters():
        if parameter.numel() > 1 and parameter.min() == parameter.max():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)


def spread_small_weights(model):
    """Under weights of 0.02, as initialised, attention is uniform whatever its scale or mask."""
    for parameter in model.parameters():
        if parameter.dim() == 2:
            gain = parameter.std().item() * min(parameter.shape) ** 0.5
            parameter.div_(min(gain, 1.0))


def calibrate_batch_norm(model, inputs):
    """Gives every batch norm the statistics of noise instead of mean 0, variance 1."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.train().reset_running_stats()
        norm.momentum = None  # a cumulative average
    for _ in range(3):
        model(*(torch.randn(4, *x.shape[1:]) for x in inputs))
    for norm, momentum in zip(norms, momenta):
        norm.eval().momentum = momentum


def shuffled(x):
    return x.flatten()[torch.randperm(x.numel())].view_as(x)


def tolerance(y):
    return 1e-4 * min(1.0, y.abs().max().item()) + 5e-4 * y.abs()


def response(model, inputs):
    """How many tolerances the output moves when the input changes."""
    y, other = model(*inputs), model(*map(shuffled, inputs))
    return ((y - other).abs() / tolerance(y)).max().item()


def prepare(name):
    """The model, its inputs, the ways to save it, and its response."""
    torch.manual_seed(0)
    model, inputs, ways = MODELS[name]()
    model.eval().requires_grad_(False)
    with torch.no_grad():
        randomise_constants(model)
        spread_small_weights(model)
        calibrate_batch_norm(model, inputs)
        moved = response(model, inputs)
    assert moved >= 40, f"the output moves by {moved:.1f} tolerances only"
    return model, inputs, ways, moved


def save(model, inputs, way, path):
    """Saves, loads and compares; `path` appears only when that went well."""
    part = path.with_name("part.pt")
    if way == "scripted":
        saved = torch.jit.script(model)
    else:
        saved = torch.jit.trace(model, inputs, check_trace=False)
    saved.save(part)
    with torch.no_grad():
        expected, actual = model(*inputs), torch.jit.load(part)(*inputs)
    assert bool(((actual - expected).abs() <= tolerance(expected)).all()), "the copy differs"
    part.rename(path)


def build(name, folder):
    """Returns one line about what was done."""
    start = time.monotonic()
    npz = folder / f"{name}.npz"
    model, inputs, ways, moved = prepare(name)
    for way in ways:
        path = folder / f"{name}.{way}.pt"
        if not path.exists():
            save(model, inputs, way, path)
    names = list(inspect.signature(model.forward).parameters)[: len(inputs)]
    np.savez_compressed(npz, **{n: x.numpy() for n, x in zip(names, inputs)})
    seconds = time.monotonic() - start
    return f"{', '.join(ways)}; response {moved:.0f} tolerances; {seconds:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="OUTDIR", type=Path)
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: the whole zoo")
    options = parser.parse_args()
    unknown = set(options.names) - set(MODELS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(MODELS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    # The fused path of nn.MultiheadAttention is for inference only and must not be traced.
    torch.backends.mha.set_fastpath_enabled(False)

    failed = []
    for name in options.names or MODELS:
        if (options.folder / f"{name}.npz").exists():  # written last
            print(f"{name}: already built")
            continue
        try:
            print(f"{name}: {build(name, options.folder)}", flush=True)
        except Exception as error:
            failed.append(name)
            print(f"{name}: FAILED: {error}", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
