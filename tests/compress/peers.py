# SPDX-License-Identifier: Apache-2.0
"""What other tools make of the trained fixtures: peers.py OUTDIR [MODEL...]

Writes MODEL.NAME.nnef.tgz (torch_to_nnef) and MODEL.NAME.json: {"size": of the file, "value": its worth, where
the tool runs it itself, or "error": why there is none}.
"""

import argparse
import copy
import io
import json
import re
import sys
import warnings
from pathlib import Path

import torch

import judged
import modules

# Names of rows: torch_to_nnef's registries of compression; None leaves the weights.
REGISTRY = {"torch_to_nnef f32": None, "torch_to_nnef q4_0": "min_max_q4_0",
            "torch_to_nnef q4_0 with embeddings": "min_max_q4_0_with_embeddings"}
TRACT = "0.23.8"  # the newest that its makers test; its files run in later ones


def named_version(folder):
    """torch_to_nnef downloads tract's command line and asks for its version: this one tells it, and no
    more, since no check is asked for."""
    path = folder / "tract_version"
    path.write_text(f"#!/bin/sh\necho tract {TRACT}\n")
    path.chmod(0o755)
    return path


def torch_to_nnef(model, registry, path):
    from torch_to_nnef import TractNNEF, export_model_to_nnef
    from torch_to_nnef.compress import DEFAULT_COMPRESSION

    module = modules.loaded(model)
    if registry:
        module = DEFAULT_COMPRESSION[registry](module)
    sample = torch.from_numpy(model.arrays("input")[model.argument])
    target = TractNNEF(TRACT, check_io=False, dynamic_axes={model.argument: model.axes},
                       specific_tract_binary_path=named_version(path.parent), dump_identity_properties=False)
    export_model_to_nnef(module, (sample,), path, target, input_names=[model.argument], output_names=["output"],
                         compression_level=6)
    return {}


def measured(model, module):
    """What torch itself makes of a module: its worth, and the size of its traced file."""
    test = model.arrays("test")
    x = torch.from_numpy(test[model.argument])
    with torch.no_grad():
        logits = torch.cat([module(rows) for rows in x.split(32)]).numpy()
        traced = torch.jit.trace(module, x[:4], check_trace=False)
    buffer = io.BytesIO()
    torch.jit.save(traced, buffer)
    return {"size": buffer.tell(), "value": judged.score(model.measure, logits, test["labels"])}


def fx_int8(model, _registry, _path):
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    calibration = torch.from_numpy(model.arrays("calibration")[model.argument])
    prepared = prepare_fx(copy.deepcopy(modules.loaded(model)), get_default_qconfig_mapping("x86"),
                          (calibration[:4],))
    with torch.no_grad():
        for rows in calibration.split(32):
            prepared(rows)
    return measured(model, convert_fx(prepared))


def dynamic_int8(model, _registry, _path):
    from torch.ao.quantization import quantize_dynamic

    kinds = {torch.nn.Linear, torch.nn.GRU}
    return measured(model, quantize_dynamic(modules.loaded(model), kinds, dtype=torch.qint8))


def rows():
    """Maker and its argument by name of row."""
    return {**{name: (torch_to_nnef, registry) for name, registry in REGISTRY.items()},
            "torch FX int8": (fx_int8, None), "torch dynamic int8": (dynamic_int8, None)}


def slug(name):
    return re.sub(r"\W+", "_", name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="OUTDIR", type=Path)
    parser.add_argument("names", metavar="MODEL", nargs="*")
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for model in judged.MODELS:
        for name, (make, argument) in rows().items():
            if options.names and model.name not in options.names:
                continue
            stem = f"{model.name}.{slug(name)}"
            artefact = options.folder / f"{stem}.nnef.tgz"
            artefact.unlink(missing_ok=True)
            torch.manual_seed(0)
            try:
                result = make(model, argument, artefact)
            except Exception as error:  # a peer may fail in any way; the page says how
                lines = str(error).strip().splitlines()
                result = {"error": f"{type(error).__name__}: {lines[0] if lines else ''}"}
            (options.folder / f"{stem}.json").write_text(json.dumps(result))
            print(f"{model.name}: {name}: {result}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
