# SPDX-License-Identifier: Apache-2.0
"""Models that torchao quantises, its tensors within the program; none without torchao."""

import sys
import warnings
from pathlib import Path

import torch
from torch import nn

FOLDER = Path(__file__).resolve().parents[2] / "build" / "torchao"
CONFIGS = ("Int8WeightOnlyConfig", "Int8DynamicActivationInt8WeightConfig", "IntxWeightOnlyConfig",
           "Int8DynamicActivationIntxWeightConfig")


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.first = nn.Linear(64, 32)
        self.second = nn.Linear(32, 64, bias=False)

    def forward(self, x):
        return self.second(torch.nn.functional.gelu(self.first(x)))


def quantised_modules():
    """Modules by the name of their configuration; none with a torch that is not the one of the build."""
    if not FOLDER.is_dir() or FOLDER.parent / "venv" not in Path(torch.__file__).resolve().parents:
        return {}
    sys.path.insert(0, str(FOLDER))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torchao.quantization as quantization
    modules = {}
    for config in CONFIGS:
        modules[config] = Layers().eval()
        quantization.quantize_(modules[config], getattr(quantization, config)())
    return modules
