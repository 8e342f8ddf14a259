# SPDX-License-Identifier: Apache-2.0
"""Saves models that call an operator of no library that t2nnef has, and models with modules for fragments.

usage: models.py FOLDER
"""
import sys
from pathlib import Path
from typing import List

import torch

LIBRARY = torch.library.Library("mine", "DEF")
LIBRARY.define("swish(Tensor x, Scalar beta=1.0) -> Tensor")
LIBRARY.impl("swish", lambda x, beta=1.0: x * torch.sigmoid(beta * x), "CompositeExplicitAutograd")
LIBRARY.define("halves(Tensor x) -> (Tensor, Tensor)")
LIBRARY.impl("halves", lambda x: (x[:, :2] + 1, x[:, 2:] * 2), "CompositeExplicitAutograd")
LIBRARY.define("mix(Tensor[] xs, Tensor y, int[] begin, int[] end, float gain) -> Tensor")
LIBRARY.impl("mix", lambda xs, y, begin, end, gain: torch.cat(xs, 1)[:, begin[0]:end[0]] * gain + y,
             "CompositeExplicitAutograd")


class Swish(torch.nn.Module):
    def forward(self, x):
        return torch.ops.mine.swish(x, 1.5) + 1


class Halves(torch.nn.Module):
    def forward(self, x):
        a, b = torch.ops.mine.halves(x)
        return a + b


class Mix(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return torch.ops.mine.mix([x, y, x[:, :1]], y, [1], [5], 0.5) - torch.ops.mine.mix([y, y], x, [0], [4], 2.0)


class Joined(torch.nn.Module):
    """A module whose input is a list."""

    def forward(self, xs: List[torch.Tensor], gain: float):
        return torch.cat(xs, 1) * gain


class JoinedHolder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Joined()

    def forward(self, x):
        return self.part([x, x + 1], 0.5) - self.part([x, x * 2], 2.0)


class Loop(torch.nn.Module):
    def forward(self, x):
        h = torch.zeros(4)
        for i in range(x.size(0)):
            h = torch.ops.mine.swish(h + x[i], 1.5)
        return h


class Quantised(torch.nn.Module):
    def forward(self, x):
        return torch.ops.mine.swish(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)).dequantize()


class Norm(torch.nn.Module):
    """RMS norm over the last axis."""

    eps: float

    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(size) + 0.5)
        self.eps = 1e-3

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class Block(torch.nn.Module):
    def __init__(self, norm=None):
        super().__init__()
        self.norm = norm or Norm(8)
        self.fc = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.fc(self.norm(x))) + x


class Blocks(torch.nn.Module):
    def __init__(self, shared=None):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(shared), Block(shared))

    def forward(self, x):
        return self.blocks(x)


class Unused(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(8)
        self.other = Norm(8)

    def forward(self, x):
        return self.norm(x)


class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(8)

    def forward(self, x):
        return self.norm(self.norm(x) + 1)


class Pair(torch.nn.Module):
    def forward(self, x):
        return x + 1, x * 2


class Listed(torch.nn.Module):
    def forward(self, x):
        return [x + 1, x * 2]


class Writes(torch.nn.Module):
    def forward(self, x):
        return x.mul_(2)


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x * 2


class Masked(torch.nn.Module):
    def forward(self, x, mask):
        return x * mask


class ListHolder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Listed()

    def forward(self, x):
        return self.part(x)[0]


class Flat(torch.nn.Module):
    """A view of its input, through which the model writes."""

    def forward(self, x):
        return x.view(-1)


class WritesThroughView(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Flat()

    def forward(self, x):
        y = x * 1.5
        self.part(y).add_(1)
        return y * 2


class Same(torch.nn.Module):
    """Two results with one memory."""

    def forward(self, x):
        y = x * 2
        return y, y.view(2, 4)


class Holder(torch.nn.Module):
    def __init__(self, part, kind):
        super().__init__()
        self.part = part
        self.kind = kind

    def forward(self, x):
        y = x + 0.5
        if self.kind == "masked":
            return self.part(y, x)
        out = self.part(y)
        return out if self.kind == "one" else out[0] - out[1]


def main():
    folder = Path(sys.argv[1])
    torch.manual_seed(0)
    flat, deep = torch.randn(2, 4), torch.randn(2, 5, 8)

    def save(name, model, sample):
        torch.jit.trace(model.eval(), sample, check_trace=False).save(folder / f"{name}.pt")

    save("swish", Swish(), flat)
    save("mix", Mix(), flat)
    torch.jit.script(JoinedHolder()).save(folder / "joined.pt")
    save("halves", Halves(), flat)
    torch.jit.script(Blocks()).save(folder / "blocks.pt")
    torch.jit.script(ListHolder()).save(folder / "listed.pt")
    save("shared", Blocks(Norm(8)), deep)
    torch.jit.script(Unused()).save(folder / "unused.pt")
    save("twice", Twice(), deep)
    save("pair", Holder(Pair(), "two"), flat)
    save("writes", Holder(Writes(), "one"), flat)
    torch.jit.script(WritesThroughView()).save(folder / "view.pt")
    save("same", Holder(Same(), "two"), flat)
    save("masked", Holder(Masked(), "masked"), flat)
    save("counts", Holder(Counts(), "one"), flat)
    torch.jit.script(Loop()).save(folder / "loop.pt")
    torch.jit.script(Quantised()).save(folder / "quantised.pt")


main()
