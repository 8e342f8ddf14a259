# SPDX-License-Identifier: Apache-2.0
"""Models whose reports are tested: usage: models.py FOLDER."""

import sys
from pathlib import Path

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return torch.relu(self.fc(x))


class TwoMethods(Small):
    @torch.jit.export
    def scores(self, x):
        return torch.softmax(self.forward(x), 1)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


class Refused(nn.Module):
    """Two refusals, in lines of this file, whose text is HTML, Markdown and a workflow command."""

    def forward(self, x):
        y = torch.linalg.eigvals(x.reshape(3, 3))  # <script>alert(1)</script> | `a` ::error::no
        return y.real.sum() + torch.linalg.svdvals(x).sum()


def main(folder):
    torch.manual_seed(0)
    x = torch.randn(4, 6)
    torch.jit.trace(Small().eval(), x).save(folder / "small.pt")
    torch.jit.script(TwoMethods().eval()).save(folder / "methods.pt")
    torch.jit.script(Counter().eval()).save(folder / "counter.pt")
    torch.jit.script(Refused().eval()).save(folder / "refused.pt")
    torch.jit.trace(torch.ao.quantization.quantize_dynamic(Small().eval(), {nn.Linear}), x).save(folder / "int8.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
