"""Models that are exported with a warning, or refused for a rare reason, for the command-line tests: write_all(folder)."""

from typing import List

import torch
from torch import nn


class Spectrum(nn.Module):
    """Its output is complex."""

    def forward(self, x):
        return torch.fft.rfft(x)


class FixedLength(nn.Module):
    """An output has the sample's size at every size of the input."""

    def forward(self, x):
        return x.mean() + torch.zeros(16)


class SumsRows(nn.Module):
    """A loop with as many iterations as rows."""

    def forward(self, x):
        h = torch.zeros(3)
        for i in range(x.size(0)):
            h = torch.tanh(h + x[i])
        return h


class ScalesRows(nn.Module):
    """The same without a state: each row alone."""

    def forward(self, x):
        out: List[torch.Tensor] = []
        for i in range(x.size(0)):
            out.append(x[i] * 2 + 1)
        return torch.stack(out)


class NumbersRows(nn.Module):
    """Each row with its number."""

    def forward(self, x):
        out: List[torch.Tensor] = []
        for i in range(x.size(0)):
            out.append(x[i] * i)
        return torch.stack(out)


class CountsRows(nn.Module):
    """A loop that counts its iterations, in a number that is used."""

    def forward(self, x):
        numbers: List[int] = []
        y = x[0]
        for i in range(x.size(0) - 1):
            y = y + x[i + 1]
            numbers.append(i)
        return y * float(len(numbers))


class DeviatesAlone(nn.Module):
    """Torch warns of the deviation of a single number."""

    def forward(self, x):
        return x + x[:1].std(0)


class TakesPositive(nn.Module):
    """Fails for numbers that are not positive."""

    def forward(self, x):
        if bool((x <= 0).any()):
            raise RuntimeError("not positive")
        return x.log()


class NarrowRows(nn.Module):
    """The first layer's rows are too short for blocks of Q4_0."""

    def __init__(self):
        super().__init__()
        self.narrow = nn.Linear(5, 32)
        self.wide = nn.Linear(32, 4)

    def forward(self, x):
        return self.wide(self.narrow(x).relu())


def write_all(folder):
    torch.manual_seed(0)
    for model in [Spectrum, FixedLength, SumsRows, ScalesRows, NumbersRows, CountsRows, DeviatesAlone, TakesPositive,
                  NarrowRows]:
        torch.jit.script(model().eval()).save(folder / f"{model.__name__}.pt")
# SPDX-License-Identifier: Apache-2.0
