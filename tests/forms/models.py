# SPDX-License-Identifier: Apache-2.0
"""Float models with seeded random weights, and torch's int8 models made from them: traced, with samples.

    models.py FOLDER      writes FOLDER/NAME.pt and FOLDER/NAME.int8.pt; FOLDER/NAME.npz are calibration data
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.ao.quantization as tq
import torch.ao.quantization.quantize_fx as fx
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.down = nn.Conv2d(channels, out, 1, stride) if stride != 1 else nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + self.down(x))


class Residual(nn.Module):
    """ResNet's blocks, for images of 56 x 56."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU())
        self.blocks = nn.Sequential(Block(32, 32, 1), Block(32, 64, 2), Block(64, 128, 2))
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class Mixer(nn.Module):
    """Layer norms and linear layers, as in a transformer without attention."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Attention(nn.Module):
    """A transformer's layer with the norms first."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out, self.mixer = nn.Linear(width, 3 * width), nn.Linear(width, width), Mixer(width)

    def forward(self, x):
        batch, rows, width = x.shape
        q, k, v = [each.reshape(batch, rows, self.heads, width // self.heads).transpose(1, 2)
                   for each in self.qkv(self.norm(x)).chunk(3, -1)]
        weights = torch.softmax(q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5, -1)
        return self.mixer(x + self.out((weights @ v).transpose(1, 2).reshape(batch, rows, width)))


class Tagger(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.table, self.layer = nn.Embedding(200, 64), layer(64, 64, bidirectional=True, batch_first=True)
        self.out = nn.Linear(128, 12)

    def forward(self, ids):
        return self.out(self.layer(self.table(ids))[0])


def save(model, sample, path):
    torch.jit.trace(model, sample, check_trace=False).save(path)


def static(model, data):
    observed = fx.prepare_fx(model, tq.get_default_qconfig_mapping("x86"), (data[:1],))
    for each in data:
        observed(each[None])
    return fx.convert_fx(observed)


def dynamic(model, _):
    return tq.quantize_dynamic(model, {nn.Linear, nn.GRU, nn.LSTM})


def rows(count):
    return lambda: torch.randn(8, count, 256)


MODELS = {
    "cnn": (Residual, lambda: torch.randn(8, 3, 56, 56), static),
    "mixer": (lambda: nn.Sequential(Mixer(256), Mixer(256)), rows(64), static),
    "transformer": (lambda: nn.Sequential(Attention(256, 4), Attention(256, 4)), rows(64), dynamic),
    "transformer, 1 row": (lambda: nn.Sequential(Attention(256, 4), Attention(256, 4)), rows(1), dynamic),
    "gru": (lambda: Tagger(nn.GRU), lambda: torch.randint(0, 200, (1, 32)), dynamic),
    "lstm": (lambda: Tagger(nn.LSTM), lambda: torch.randint(0, 200, (1, 32)), dynamic),
}


def main():
    warnings.filterwarnings("ignore")
    torch.backends.quantized.engine = "x86"
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (make, draw, quantise) in MODELS.items():
        torch.manual_seed(1)
        model, data = make().eval(), draw()
        with torch.no_grad():
            save(model, data[:1], folder / f"{name}.pt")
            np.savez(folder / f"{name}.npz", input_0=data.numpy())
            save(quantise(model, data), data[:1], folder / f"{name}.int8.pt")


if __name__ == "__main__":
    main()
