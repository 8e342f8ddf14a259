"""Branches on how many rows a mask picks: both ways are in the file, and selects choose."""

import torch
from torch import Tensor, nn

from compare import Case
from rows import masks


class MeanOrZeros(nn.Module):
    """The mean of nothing is no number, and is not chosen."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) > 0:
            y = rows.mean(0)
        else:
            y = torch.zeros(x.size(1))
        return y * 2


class EarlyReturn(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.numel() == 0:
            return x.sum(0), torch.zeros(1)
        return rows.sum(0), (rows @ rows.t()).sum().reshape(1)


class Between(nn.Module):
    """A number of the program, chosen by two comparisons, of which torch evaluates the second after the first."""

    def forward(self, x: Tensor, mask: Tensor):
        count = x[mask].size(0)
        if count > 1 and count < 5:
            scale = 2.0
        else:
            scale = -0.5
        return x.sum(0) * scale


class Three(nn.Module):
    """A way that divides by zero where it is not taken."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        count = rows.size(0)
        if count == 0:
            y = x.sum(0)
        elif count == 1:
            y = rows.sum(0) + 100
        else:
            y = rows.sum(0) / (count - 1)
        return y


class Negated(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if not bool(rows.size(0)):
            y = x.sum(0)
        else:
            y = rows.mean(0)
        return y


class EachOfThree(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        y = torch.zeros(4)
        for i in range(3):
            if rows.size(0) > i:
                y = y + x[i]
            else:
                y = y - x[i]
        return y


class WithData(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) > 2 or bool(x.sum() > 0):
            y = rows.sum(0)
        else:
            y = x.sum(0)
        return y


class Majority(nn.Module):
    """A comparison with the size of an input."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) * 2 > x.size(0):
            y = rows.sum(0)
        else:
            y = -rows.sum(0)
        return y


class Largest(nn.Module):
    """Torch finds no maximum of nothing: the file demands a row."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) > 0:
            y = rows.max(dim=0)[0]
        else:
            y = torch.zeros(4)
        return y


class WritesInOne(nn.Module):
    """A way that writes: the file holds the sample's."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        out = torch.zeros(4)
        if rows.size(0) > 1:
            out[0] = 5.0
        return out + rows.sum(0)


def ways():
    any_count = masks([4, 0, 1, 2, 3, 5, 6])
    chosen = {"mean or zeros": MeanOrZeros, "early return": EarlyReturn, "between": Between, "three": Three,
              "negated": Negated, "each of three": EachOfThree, "with data": WithData, "majority": Majority}
    cases = {name: Case(model(), any_count, kinds=("scripted",)) for name, model in chosen.items()}
    cases["mean or zeros, none in the sample"] = Case(MeanOrZeros(), masks([0, 4, 1]), kinds=("scripted",))
    cases["largest"] = Case(Largest(), masks([4, 1, 2, 6]), kinds=("scripted",))
    cases["writes in one"] = Case(WritesInOne(), masks([4, 2, 6]), kinds=("scripted",))
    for name, model in (("mean or zeros", MeanOrZeros), ("majority", Majority), ("early return", EarlyReturn)):
        cases[f"{name}, open"] = Case(model(), any_count, ["--dynamic", "x:0=S", "--dynamic", "mask:0=S"], kinds=("scripted",))
    return cases
