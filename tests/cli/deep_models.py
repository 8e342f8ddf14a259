"""Models of about 500 operations with one layer that fails, for the command-line tests; other_models.write_all()
writes them."""

import torch
from torch import nn
from torch.nn import functional


class Mixer(nn.Module):
    """Attention without heads, and a gated layer: about ten operations."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width)
        self.down = nn.Linear(width, width)

    def forward(self, x):
        y = self.norm(x)
        weights = functional.softmax(y @ y.transpose(-1, -2) * 0.1, dim=-1)
        y = functional.gelu(self.up(weights @ y)) * torch.sigmoid(y)
        return x + 0.2 * self.down(y)


class Eigenvalues(nn.Module):
    """No target has an operator for them."""

    def __init__(self, width):
        super().__init__()
        self.mixer = Mixer(width)

    def forward(self, x):
        y = self.mixer(x)
        gram = y @ y.transpose(-1, -2)
        return y + torch.linalg.eigvalsh(gram).unsqueeze(-1) * 0.01


class Branches(nn.Module):
    """A branch on values, of which one direction writes."""

    def __init__(self, width):
        super().__init__()
        self.mixer = Mixer(width)

    def forward(self, x):
        y = self.mixer(x)
        if bool(y.mean() > 0):
            y[:, 0] = 0.0
            y = y * 2
        return y


class Deep(nn.Module):
    def __init__(self, fault=Mixer, layers=40, width=16):
        super().__init__()
        self.layers = nn.Sequential(*(Mixer(width) for _ in range(layers)))
        self.layers[layers * 2 // 3] = fault(width)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        return self.head(self.layers(x))


def write_all(folder):
    torch.manual_seed(5)
    sample = torch.randn(2, 6, 16)
    torch.jit.trace(Deep().eval(), sample).save(folder / "deep.pt")
    torch.jit.trace(Deep(Eigenvalues).eval(), sample).save(folder / "deep_eigenvalues.pt")
    torch.jit.script(Deep(Branches).eval()).save(folder / "deep_branches.pt")
# SPDX-License-Identifier: Apache-2.0
