"""Small models for kinds of lies that neither the fixtures nor the zoo have a place for."""

import numpy
import torch
from torch import nn


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


MADE = {"stream": (Stream, {"x": (2, 4)}), "rounding": (Rounding, {"x": (3, 5), "y": (3, 5)})}


def make(name, folder):
    """NAME.pt and NAME.npz, the same each time."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    kind, inputs = MADE[name]
    torch.jit.script(kind().eval()).save(str(folder / f"{name}.pt"))
    numpy.savez(folder / f"{name}.npz", **{word: torch.randn(shape).numpy() for word, shape in inputs.items()})
