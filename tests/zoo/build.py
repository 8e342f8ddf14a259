# SPDX-License-Identifier: Apache-2.0
"""Builds the zoo: build.py OUTDIR [NAME ...] writes NAME.{traced,…}.pt, NAME.npz and NAME.json."""

import argparse
import copy
import inspect
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from common import ATTENTIONS
from models import MODELS

ONCE_BEYOND = 10_000_000  # parameters: a second file of the same model would only cost disk
MIN_RESPONSE = 40  # tolerances: twice what run.py asks for
NEXT_TO_NOTHING = 1e-4  # apart, parameters say no more than one number
MAX_ROUNDING = 0.3  # tolerances: more leaves too little for another engine's rounding


def randomise_constants(model):
    """Zero heads, biases of next to nothing and tiny layer scales would hide most of the model from its output."""
    for parameter in model.parameters():
        if parameter.numel() > 1 and parameter.max() - parameter.min() < NEXT_TO_NOTHING:
            parameter.add_(torch.randn_like(parameter), alpha=0.1)


def spread_small_weights(model):
    """Under weights of 0.02, as initialised, attention is uniform whatever its scale or mask."""
    for parameter in model.parameters():
        if parameter.dim() == 2:
            gain = parameter.std().item() * min(parameter.shape) ** 0.5
            parameter.div_(max(min(gain, 1.0), 1e-6))


def noise_like(x):
    """A batch of one becomes one of four; other first axes (nodes of a graph) are not batches."""
    copies = 4 if x.shape[0] == 1 else 1
    if x.is_floating_point():
        return torch.randn(x.shape[0] * copies, *x.shape[1:])
    return shuffled(x.repeat(copies, *[1] * (x.dim() - 1)))


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
        model(*map(noise_like, inputs))
    for norm, momentum in zip(norms, momenta):
        norm.eval().momentum = momentum


def rounding(model, inputs):
    """How many tolerances torch itself is off, computing in f32; None where it computes in nothing else."""
    try:
        exact = copy.deepcopy(model).double()(*[x.double() if x.is_floating_point() else x for x in inputs])
    except RuntimeError:
        return None
    return ((model(*inputs) - exact).abs() / tolerance(exact)).max().item()


def calm_batch_norm(model, inputs):
    """Deep ReLU networks of random weights amplify rounding until no two engines agree, which trained
    ones do not. Larger biases of the normalisations keep most units where ReLU is linear; undone
    where that does not help (normalisation behind the activation). Returns whether the model is another."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm) and m.affine]
    before = rounding(model, inputs) if norms else None
    if before is None or before < MAX_ROUNDING:
        return False
    state = copy.deepcopy(model.state_dict())
    for norm in norms:
        norm.bias.add_(1)
    calibrate_batch_norm(model, inputs)
    if rounding(model, inputs) < before:  # which NaN is not
        return True
    model.load_state_dict(state)
    return False


def shuffled(x):
    return x.flatten()[torch.randperm(x.numel())].view_as(x)


def tolerance(y):
    return 1e-4 * min(1.0, y.abs().max().item()) + 5e-4 * y.abs()


def response(model, inputs):
    """How many tolerances the output moves when the input changes."""
    y, other = model(*inputs), model(*map(shuffled, inputs))
    return ((y - other).abs() / tolerance(y)).max().item()


def prepare(name):
    """The entry, made to react to its inputs, its response, and whether it was calmed."""
    torch.manual_seed(0)
    is_calmed = False
    entry = MODELS[name]()
    entry.model.eval().requires_grad_(False)
    with torch.no_grad():
        if not entry.parameters:
            randomise_constants(entry.model)
            spread_small_weights(entry.model)
            calibrate_batch_norm(entry.model, entry.inputs)
            is_calmed = calm_batch_norm(entry.model, entry.inputs)
        moved = response(entry.model, entry.inputs)
    assert moved >= MIN_RESPONSE, f"the output moves by {moved:.1f} tolerances only"
    return entry, moved, is_calmed


def parameters_of(entry):
    return entry.parameters or sum(p.numel() for p in entry.model.parameters())


def quantum(y):
    """The least distance of two values: what is quantised last has few."""
    values = np.unique(y)
    return float(np.diff(values).min()) if len(values) < 300 else 0.0


def save(entry, way, path):
    """Saves, loads and compares; `path` appears only when that went well."""
    if way in ATTENTIONS:
        entry.model.model.set_attn_implementation(way)
    part = path.with_suffix(".part")
    if way == "scripted":
        saved = torch.jit.script(entry.model)
    else:
        saved = torch.jit.trace(entry.model, entry.inputs, check_trace=False)
    saved.save(part)
    with torch.no_grad():
        expected, actual = entry.model(*entry.inputs), torch.jit.load(part)(*entry.inputs)
    assert bool(((actual - expected).abs() <= tolerance(expected)).all()), "the copy differs"
    part.rename(path)


def save_all(name, entry, folder):
    """The ways that went well, and why scripting did not: it alone may be beyond torch."""
    done, refused = [], None
    parameters = parameters_of(entry)
    is_large = parameters > ONCE_BEYOND and not entry.parameters  # integers are small files
    for way in entry.ways[:1] if is_large else entry.ways:
        path = folder / f"{name}.{way}.pt"
        try:
            if not path.exists():
                save(entry, way, path)
            done.append(way)
        except Exception as error:
            path.with_suffix(".part").unlink(missing_ok=True)
            if way != "scripted":
                raise
            refused = str(error).strip().splitlines()[0]
    return done, refused


def build(name, folder):
    """Returns one line about what was done."""
    start = time.monotonic()
    entry, moved, is_calmed = prepare(name)
    ways, refused = save_all(name, entry, folder)
    names = list(inspect.signature(entry.model.forward).parameters)
    if entry.model.__class__ is nn.Sequential:
        names = ["input"]
    arrays = {n: x.numpy() for n, x in zip(names, entry.inputs)}
    with torch.no_grad():
        arrays["output_0"] = entry.model(*entry.inputs).numpy()  # what the module itself computes
    np.savez_compressed(folder / f"{name}.npz", **arrays)
    facts = {"ways": ways, "not scripted": refused, "parameters": parameters_of(entry), "published": entry.published,
             "calmed": is_calmed}
    if entry.parameters:
        facts["quantum"] = quantum(arrays["output_0"])
    (folder / f"{name}.json").write_text(json.dumps(facts))
    seconds = time.monotonic() - start
    not_scripted = f"; not scripted: {refused}" if refused else ""
    return f"{', '.join(ways)}; response {moved:.0f} tolerances; {seconds:.1f} s{not_scripted}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="OUTDIR", type=Path)
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: the whole zoo")
    options = parser.parse_args()
    unknown = set(options.names) - set(MODELS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(MODELS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "names.txt").write_text("\n".join(MODELS))
    # The fused path of nn.MultiheadAttention is for inference only and must not be traced.
    torch.backends.mha.set_fastpath_enabled(False)

    failed = []
    for name in options.names or MODELS:
        if (options.folder / f"{name}.json").exists():  # written last
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
