# SPDX-License-Identifier: Apache-2.0
"""Models of published sizes with seeded random weights, made with torch alone: traced, with their samples inside.

    models.py FOLDER      writes FOLDER/NAME/model.pt
"""

import sys
from pathlib import Path

import torch
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet18():
    """He et al., Deep Residual Learning for Image Recognition: 11.7 M parameters, 224 x 224."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for out in (64, 128, 256, 512):
        layers += [BasicBlock(channels, out, 1 if out == 64 else 2), BasicBlock(out, out, 1)]
        channels = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)), torch.rand(1, 3, 224, 224)


class Encoder(nn.Module):
    """As bert-base: 12 layers of 768 with 12 heads, and its embeddings: 109 M parameters."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(30522, 768), nn.Embedding(512, 768)
        self.norm = nn.LayerNorm(768)
        layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)

    def forward(self, ids):
        places = torch.arange(ids.size(1))
        return self.layers(self.norm(self.words(ids) + self.positions(places)))


def encoder():
    return Encoder(), torch.randint(0, 30522, (1, 128))


def main():
    torch.backends.mha.set_fastpath_enabled(False)  # so that the peer has operators that it knows
    for make in (resnet18, encoder):
        torch.manual_seed(1)
        model, sample = make()
        file = Path(sys.argv[1]) / make.__name__ / "model.pt"
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.jit.trace(model.eval(), sample, check_trace=False).save(str(file))


if __name__ == "__main__":
    main()
