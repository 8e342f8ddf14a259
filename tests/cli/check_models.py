"""Models that a check must not be fooled by, and models whose mode counts, for the CLI's tests."""

import math
from typing import List, Tuple

import numpy as np
import torch
from torch import nn
from torch.utils import mkldnn


class Blind(nn.Module):
    """Hardly follows its input."""

    def forward(self, x):
        return torch.ones(4) + 1e-9 * x


class Deaf(nn.Module):
    """Follows one input; of the other nothing is left."""

    def forward(self, x, bias):
        return x + 1e-12 * bias


class Alike(nn.Module):
    """Outputs of one shape, of three types."""

    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        return x.sin(), x.cos(), x > 0, x.argmax(-1)


class Pattern(nn.Module):
    """The mask of the samples is all ones, the step one number: permutations leave them alone."""

    def __init__(self):
        super().__init__()
        self.steps = nn.Embedding(1000, 6)

    def forward(self, x, mask, step):
        return (x + self.steps(step)).masked_fill(mask == 0, -1.0)


class TrainedMode(nn.Module):
    """To be saved in training mode: torch's modules infer, the user's own code trains."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.norm.running_mean.fill_(0.5)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        y = self.drop(self.norm(x))
        return y * 3 if self.training else y


class AsksForGradients(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x):
        y = x
        if torch.is_grad_enabled():
            y = y + 100
        with torch.no_grad():
            y = y * self.weight
        if x.requires_grad:
            y = y + 1000
        if self.weight.requires_grad:
            y = y + 0.5
        return y


class Affine(nn.Module):
    """Two outputs of one shape, to be written in NNEF by hand."""

    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([[1, -2, 3], [0.5, 4, -1]])
        self.bias = torch.tensor([0.25, -1])

    def forward(self, x):
        y = nn.functional.linear(x, self.weight, self.bias)
        return y.relu(), y.tanh()


class Centred(nn.Module):
    """The number of rows counts."""

    def forward(self, x):
        return x - x.mean(0)


class NanBranch(nn.Module):
    """A branch that no finite input takes."""

    def forward(self, x):
        if torch.isnan(x).any():
            return x[:1]
        return x.sin()


class Overflows(nn.Module):
    """No number where the input is not positive."""

    def forward(self, x):
        return torch.log(x)


class TopRows(nn.Module):
    """Rows with the largest norms: which of equals come first torch leaves open."""

    def forward(self, x):
        return x[torch.linalg.vector_norm(x, dim=1).topk(3)[1]]


class TopBesideMode(nn.Module):
    """The same beside the most frequent numbers, which are no choice."""

    def forward(self, x):
        return x.round()[:, 0].topk(3)[1], x.round().mode(0)[0]


class Nearest(nn.Module):
    """Indices of the nearest rows, each its own nearest; distances are rounded."""

    def forward(self, x):
        return torch.cdist(x, x).topk(4, largest=False)[1]


class TakesList(nn.Module):
    """A tensor, and a list of tensors."""

    def forward(self, x, states: List[torch.Tensor]):
        for state in states:
            x = torch.tanh(x + state)
        return x


class FixedOutputs(nn.Module):
    """One output follows the input, one its size, others nothing."""

    def forward(self, x):
        return x * 2, x.size(1), 5, torch.arange(3)


class StopsAppending(nn.Module):
    """A loop that has a bound, and changes a list until a value ends it."""

    def forward(self, x):
        rows = [x]
        for _ in range(12):
            x = x * 0.5
            rows.append(x)
            if bool(x.sum() < 0.1):
                break
        return torch.stack(rows)


class OfOneLibrary(nn.Module):
    """A part is in the format of oneDNN."""

    def __init__(self):
        super().__init__()
        self.linear = mkldnn.to_mkldnn(nn.Linear(3, 2))

    def forward(self, x):
        return self.linear(x.to_mkldnn()).to_dense()


class PadsOfATrace(nn.Module):
    """Where it is traced, math.ceil() gives a number of the sample's size."""

    def forward(self, x):
        pad = math.ceil(x.size(1) / 2) * 2 + 1 - x.size(1)
        return nn.functional.pad(x, [0, pad])


class UnusedBesideLimit(nn.Module):
    """Compares one input with a number, and does not read another."""

    def forward(self, x, y, z):
        return torch.where(x > 0.3, x, z)


def saved(folder):
    """Scripted, in inference mode unless the name says otherwise."""
    torch.manual_seed(0)
    for kind in (Blind, Deaf, Alike, Pattern, AsksForGradients, Affine, Centred, NanBranch,
                 Overflows, TopRows, TopBesideMode, Nearest, TakesList, FixedOutputs, StopsAppending,
                 OfOneLibrary, UnusedBesideLimit):
        torch.jit.script(kind().eval()).save(f"{folder}/{kind.__name__}.pt")
    ones = {"mask": np.ones((2, 6), np.int64), "step": np.array([421])}
    np.savez(f"{folder}/pattern.npz", **ones)
    np.savez(f"{folder}/negative.npz", x=np.array([1, -2, 3, 4], np.float32))
    torch.jit.trace(PadsOfATrace(), torch.ones(2, 5)).save(f"{folder}/PadsOfATrace.pt")
    torch.jit.script(TrainedMode().train()).save(f"{folder}/TrainedMode.pt")
    x = torch.ones(2, 4)
    for name, value in {"tensor": x, "list": [x], "dict": {"x": x}, "nested": (x, [x, 2 * x])}.items():
        torch.save(value, f"{folder}/saved_{name}.pt")
# SPDX-License-Identifier: Apache-2.0
