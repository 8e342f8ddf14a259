"""State dictionaries and checkpoints for the tests of `t2nnef tensors`; write_all(folder) (torch only)."""

import os
import zipfile
from collections import OrderedDict
from types import SimpleNamespace

import torch


class Harmful:
    """Loading it in Python would run a command."""

    def __reduce__(self):
        return os.system, ("touch marker_harmful",)


def checkpoint():
    weight = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return {
        "model": OrderedDict(
            [
                ("weight", weight),
                ("turned", weight.t()),
                ("tied", weight),
                ("row", weight[1]),
                ("half", torch.tensor([0.5, 1.5], dtype=torch.bfloat16)),
                ("count", torch.tensor(7)),
                ("mask", torch.tensor([True, False])),
                ("empty", torch.zeros(0, 3)),
                ("grown", torch.nn.Parameter(torch.full((1, 2), 2.0, dtype=torch.float64)).expand(3, 2)),
            ]
        ),
        "optimizer": {"state": {0: {"exp_avg": torch.ones(2)}}, "groups": [{"lr": 0.1, "step": 2**40}]},
        "epoch": 3,
        "best": None,
        "done": True,
    }


def cut(path):
    """A tensor that reaches beyond its storage."""
    torch.save({"w": torch.ones(40)}, path)
    with zipfile.ZipFile(path) as old:
        records = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as new:
        for name, data in records.items():
            new.writestr(name, data[:8] if name.endswith("data/0") else data)


def write_all(folder):
    torch.save(checkpoint(), folder / "saved_checkpoint.pt")
    torch.save({"w": torch.ones(2), "z": torch.ones(2, dtype=torch.complex64)}, folder / "saved_complex.pt")
    torch.save({"w": torch.ones(2), "e": torch.ones(2).to(torch.float8_e4m3fn)}, folder / "saved_float8.pt")
    quantised = torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8)
    torch.save({"w": torch.ones(2), "q": quantised}, folder / "saved_quantised.pt")
    negated = torch.ones(2, 2).mul_(2)  # its imaginary part is stored with the other sign
    torch.save({"n": torch.view_as_complex(negated).conj().imag}, folder / "saved_negated.pt")
    torch.save({"w": torch.ones(2), "x": Harmful()}, folder / "saved_harmful.pt")
    torch.save({"w": torch.ones(2), "args": SimpleNamespace(lr=1)}, folder / "saved_namespace.pt")
    torch.save({"w": torch.ones(2)}, folder / "saved_protocol4.pt", pickle_protocol=4)
    torch.save({"A": torch.zeros(1), "a": torch.ones(1), "../x y": torch.full((1,), 2.0)}, folder / "saved_names.pt")
    torch.save({"a.b": torch.ones(1), "a": {"b": torch.zeros(1)}}, folder / "saved_twice.pt")
    torch.save({"expanded": torch.ones(1).expand(1 << 20, 1 << 20)}, folder / "saved_expanded.pt")
    torch.save({"epoch": 3}, folder / "saved_no_tensors.pt")
    cut(folder / "saved_cut.pt")
# SPDX-License-Identifier: Apache-2.0
