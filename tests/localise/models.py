# SPDX-License-Identifier: Apache-2.0
"""Models in which faults are planted, made with torch alone, with seeded random weights.

    make(name, folder)    writes folder/name.pt and folder/name.npz, and returns their paths
"""

from pathlib import Path

import numpy
import torch
from torch import nn



class Block(nn.Module):
    """A residual block of He et al."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.relu = nn.ReLU()
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self, classes=50):
        super().__init__()
        self.conv1, self.bn1, self.relu = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = 64
        for number, out in enumerate((64, 128, 256, 512), 1):
            stride = 1 if out == 64 else 2
            setattr(self, f"layer{number}", nn.Sequential(Block(channels, out, stride), Block(out, out, 1)))
            channels = out
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(512, classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.size).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(2, 3)) / self.size**0.5 + mask
        y = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2)
        return y.reshape(x.size(0), x.size(1), self.heads * self.size)


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.output, self.norm1 = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
        self.intermediate, self.gelu = nn.Linear(width, inner), nn.GELU()
        self.dense, self.norm2 = nn.Linear(inner, width), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        x = self.norm1(x + self.output(self.attention(x, mask)))
        return self.norm2(x + self.dense(self.gelu(self.intermediate(x))))


class Bert(nn.Module):
    """As bert-base (Devlin et al.), narrower."""

    def __init__(self, words=200, width=64, heads=4, layers=6):
        super().__init__()
        self.word, self.position, self.kind = nn.Embedding(words, width), nn.Embedding(40, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layer = nn.ModuleList(Layer(width, heads, 2 * width) for _ in range(layers))
        self.pooler = nn.Linear(width, width)

    def forward(self, ids, mask):
        places = torch.arange(ids.size(1)).unsqueeze(0)
        x = self.norm(self.word(ids) + self.position(places) + self.kind(torch.zeros_like(ids)))
        added = (1.0 - mask.unsqueeze(1).unsqueeze(2)) * -10000.0
        for layer in self.layer:
            x = layer(x, added)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(60, 16)
        self.norm = nn.LayerNorm(16)
        self.first, self.second = nn.GRU(16, 24, batch_first=True), nn.GRU(24, 12, batch_first=True, bidirectional=True)
        self.hidden, self.out = nn.Linear(24, 20), nn.Linear(20, 7)

    def forward(self, ids):
        x, _ = self.first(self.norm(self.embedding(ids)))
        x, _ = self.second(x)
        return torch.log_softmax(self.out(torch.tanh(self.hidden(x))), -1)


class Stream(nn.Module):
    """Called again and again: a convolution over the last frames, and a cell."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv1d(6, 12, 3), nn.LayerNorm(12)
        self.cell, self.hidden, self.out = nn.GRUCell(12, 10), nn.Linear(10, 16), nn.Linear(16, 4)
        self.register_buffer("frames", torch.randn(2, 6, 2))
        self.register_buffer("state", torch.randn(2, 10))

    def forward(self, x):
        frames = torch.cat([self.frames, x], 2)
        self.frames.copy_(frames[:, :, 1:])
        y = self.norm(torch.relu(self.conv(frames)).squeeze(2))
        self.state.copy_(self.cell(y, self.state))
        return torch.sigmoid(self.out(torch.tanh(self.hidden(self.state))))


class Mixed(nn.Module):
    """Layers that exporters write in different forms: convolutions with norms, attention, products."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16)
        self.skip, self.pool = nn.Conv2d(8, 16, 1, 2), nn.MaxPool2d(2)
        self.norm1, self.attention = nn.LayerNorm(16), SelfAttention(16, 4)
        self.project, self.norm2 = nn.Linear(16, 16), nn.LayerNorm(16)
        self.up, self.down, self.head = nn.Linear(16, 32), nn.Linear(32, 16), nn.Linear(16, 5)

    def forward(self, x, mask):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.pool(torch.relu(self.bn2(self.conv2(x)) + self.skip(x)))
        x = x.flatten(2).transpose(1, 2)
        x = x + self.project(self.attention(self.norm1(x), mask))
        x = x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))
        return self.head(x.mean(1))


def with_statistics(model):
    """Running means and variances of a used model, and norms with other weights than ones."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
            module.weight.data.uniform_(0.7, 1.3)
            module.bias.data.normal_(0, 0.1)
    return model


def mask_of(batch, length):
    out = torch.ones(batch, length)
    out[-1, length * 2 // 3:] = 0
    return out


def added_mask():
    out = torch.zeros(1, 1, 16, 16)
    return out.masked_fill(torch.ones(16, 16).triu(3).bool(), -1e4)


MODELS = {
    "resnet18": lambda: (ResNet(), {"x": torch.rand(1, 3, 64, 64)}),
    "bert": lambda: (Bert(), {"ids": torch.randint(0, 200, (2, 9)), "mask": mask_of(2, 9)}),
    "gru": lambda: (Recurrent(), {"ids": torch.randint(0, 60, (2, 8))}),
    "dynamic": lambda: (Bert(layers=2), {"ids": torch.randint(0, 200, (2, 9)), "mask": mask_of(2, 9)}),
    "state": lambda: (Stream(), {"x": torch.rand(2, 6, 1)}),
    "foreign": lambda: (Mixed(), {"x": torch.rand(2, 3, 16, 16), "mask": added_mask()}),
}


def build(name):
    torch.manual_seed(1)
    model, inputs = MODELS[name]()
    return with_statistics(model.eval().requires_grad_(False)), inputs


def save(model, inputs, path):
    with torch.no_grad():
        traced = torch.jit.trace(model, tuple(inputs.values()), check_trace=False)
    torch.jit.save(traced, str(path))
    numpy.savez(path.with_suffix(".npz"), **{name: value.numpy() for name, value in inputs.items()})
    return path, path.with_suffix(".npz")


def make(name, folder):
    return save(*build(name), Path(folder) / f"{name}.pt")
