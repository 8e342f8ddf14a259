# SPDX-License-Identifier: Apache-2.0
"""Small models for kinds of lies that neither the fixtures nor the zoo have a place for."""

import warnings

import numpy
import torch
from torch import nn
from torch.ao import quantization


class Stream(nn.Module):
    """Two states: a cell, and a mean that decays."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(4, 6)
        self.again = nn.Linear(6, 6)
        self.register_buffer("hidden", torch.zeros(2, 6))
        self.register_buffer("mean", torch.zeros(6))

    def forward(self, x: torch.Tensor):
        self.hidden = torch.tanh(self.enter(x) + self.again(self.hidden))
        self.mean = 0.9 * self.mean + 0.1 * self.hidden.mean(0)
        return self.hidden - self.mean


class Rounding(nn.Module):
    """All ways to a whole number, and limits."""

    def forward(self, x: torch.Tensor, y: torch.Tensor):
        whole = torch.trunc(x * 3) + torch.floor(y * 2) + torch.round(x * 5) + torch.ceil(y * 4)
        limited = nn.functional.relu6(x * 4) + nn.functional.hardtanh(y * 2, -1.5, 2.5) + torch.clamp(x, max=1.0)
        quotients = torch.div(x, 0.3, rounding_mode="trunc") + torch.div(y, 0.7, rounding_mode="floor")
        return whole + quotients, limited


class Blocks(nn.Module):
    """A residual network of 8 bits, with a scale per channel of a weight."""

    def __init__(self):
        super().__init__()
        self.quant = quantization.QuantStub()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.first = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
        self.second = nn.Conv2d(16, 16, 3, padding=1)
        self.add = torch.ao.nn.quantized.FloatFunctional()
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.head = nn.Linear(64, 20)
        self.dequant = quantization.DeQuantStub()

    def forward(self, x):
        x = self.stem(self.quant(x))
        x = self.add.add_relu(x, self.second(self.first(x)))
        return self.dequant(self.head(self.pool(x).flatten(1)))


class Depthwise(nn.Module):
    """More groups than LibTorch's default engine leaves to oneDNN."""

    def __init__(self):
        super().__init__()
        self.quant = quantization.QuantStub()
        self.widen = nn.Sequential(nn.Conv2d(3, 128, 1), nn.ReLU())
        self.depthwise = nn.Sequential(nn.Conv2d(128, 128, 3, padding=1, groups=128), nn.ReLU())
        self.narrow = nn.Conv2d(128, 16, 1)
        self.dequant = quantization.DeQuantStub()

    def forward(self, x):
        return self.dequant(self.narrow(self.depthwise(self.widen(self.quant(x)))))


class Codes(nn.Module):
    """Integers, truth values and reals of one quantiser, behind a layer of floats."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(24, 96)

    def forward(self, x: torch.Tensor):
        q = torch.quantize_per_tensor(self.layer(x), 0.02, 3, torch.qint8)
        return q.int_repr(), q.dequantize() > 0.1, q.dequantize()


def calibrated(kind, settings, shape):
    """Converted by torch, for one of its engines; it runs in the default one all the same."""
    warnings.simplefilter("ignore")
    model = kind().eval()
    pairs = [[f"{name}.0", f"{name}.1"] for name, part in model.named_children() if isinstance(part, nn.Sequential)]
    quantization.fuse_modules(model, pairs, inplace=True)
    model.qconfig = quantization.get_default_qconfig(settings)
    prepared = quantization.prepare(model)
    for _ in range(4):
        prepared(torch.randn(shape))
    return quantization.convert(prepared)


IMAGES = (2, 3, 12, 12)
MADE = {
    "stream": (Stream, {"x": (2, 4)}),
    "rounding": (Rounding, {"x": (3, 5), "y": (3, 5)}),
    "int8_blocks": (lambda: calibrated(Blocks, "x86", IMAGES), {"x": IMAGES}),
    "int8_depthwise": (lambda: calibrated(Depthwise, "x86", IMAGES), {"x": IMAGES}),
    "int8_depthwise_saturating": (lambda: calibrated(Depthwise, "qnnpack", IMAGES), {"x": IMAGES}),
    "codes": (Codes, {"x": (8, 24)}),
}


def make(name, folder):
    """NAME.pt and NAME.npz, the same each time."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    kind, inputs = MADE[name]
    torch.jit.script(kind().eval()).save(str(folder / f"{name}.pt"))
    numpy.savez(folder / f"{name}.npz", **{word: torch.randn(shape).numpy() for word, shape in inputs.items()})
