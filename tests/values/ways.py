# SPDX-License-Identifier: Apache-2.0
"""Branches on how many rows a mask picks: both ways are in the file, and selects choose."""

from typing import List

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
    """Torch finds no maximum of nothing: it gets a row there."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) > 0:
            y = rows.max(dim=0)[0]
        else:
            y = torch.zeros(4)
        return y


class LargestOfAny(nn.Module):
    """The same, if data decides."""

    def forward(self, x: Tensor, mask: Tensor):
        if bool(mask.any()):
            values, places = x[mask].min(dim=0)
        else:
            values, places = torch.zeros(4), torch.full([4], -1)
        return values, places


class Extremes(nn.Module):
    """Of all elements, of several axes, of integers and booleans, and where they are."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        whole = (rows * 10).to(torch.int32)
        if rows.size(0) > 0:
            y = torch.stack([rows.max(), rows.min(), rows.amax([0, 1]), rows.amin(0).sum(), rows.argmax(1).sum().float()])
            z = torch.stack([whole.max().long(), (whole > 0).to(torch.uint8).amin().long(), rows.argmax(), rows.argmin(0).sum()])
            b = (rows > 0).amax(0)
        else:
            y, z, b = torch.zeros(5), torch.zeros(4, dtype=torch.long), torch.ones(4, dtype=torch.bool)
        return y, z, b


class FirstAndLast(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if len(rows) > 2:
            y = rows[2] + rows[-3] * 2 + rows[0, 1]
        else:
            y = torch.zeros(4)
        return y


class FirstIndex(nn.Module):
    """An index among none."""

    def forward(self, x: Tensor, mask: Tensor):
        places = torch.nonzero(mask)
        if places.size(0) > 0:
            y = x[int(places[0, 0])] - x[places[-1, 0]]
        else:
            y = torch.zeros(4)
        return y


class TwoLargest(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        column = x[:, 0][mask]
        if column.numel() >= 2:
            values, places = torch.topk(column, 2)
            y = values.sum() + column.index_select(0, places).prod() + torch.topk(column, 2, largest=False)[0].sum()
        else:
            y = torch.full([], -1.0)
        return y


class BestRow(nn.Module):
    """The place of a maximum is an index, from the front and from the end."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.numel() > 0:
            best = rows[:, 0].argmax()
            y, z = rows[best], rows[best - rows.size(0)]
        else:
            y, z = torch.ones(4), torch.zeros(4)
        return y, z


class BestOfKept(nn.Module):
    """As a detector picks its best box."""

    def forward(self, x: Tensor, mask: Tensor):
        keep = torch.where(mask)[0]
        if keep.numel() == 0:
            return torch.full([4], float("nan")), torch.tensor(-1)
        best = int(x[keep, 0].argmax())
        return x[keep[best]], keep[best]


class LargeIntegers(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = (x * 1e9).to(torch.int64)[mask] * 1000000000
        y, z = torch.zeros(4, dtype=torch.int64), torch.zeros([], dtype=torch.int64)
        if rows.size(0) > 0:
            y, z = rows.amin(0), rows.max()
        return y, z


class LargestIfPositive(nn.Module):
    """A condition that says nothing of the rows: torch fails where it holds and there are none."""

    def forward(self, x: Tensor, mask: Tensor):
        if bool(x.sum() > 0):
            y = x[mask].max(0)[0]
        else:
            y = torch.zeros(4)
        return y


class WritesToFirst(nn.Module):
    """A row that is written to belongs to the others: the file holds the sample's way."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        if rows.size(0) > 0:
            own = rows * 2
            own[0] += 5.0
            y = own.sum(0)
        else:
            y = torch.zeros(4)
        return y


class RowsOrZeros(nn.Module):
    """A list that a loop over the rows fills: the file demands one."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        out: List[Tensor] = []
        for i in range(rows.size(0)):
            out.append(rows[i] * 2)
        if len(out) == 0:
            return torch.zeros(1, 4)
        return torch.stack(out)


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
              "negated": Negated, "each of three": EachOfThree, "with data": WithData, "majority": Majority,
              "largest": Largest, "largest of any": LargestOfAny, "extremes": Extremes, "first and last": FirstAndLast,
              "first index": FirstIndex, "two largest": TwoLargest,
              "best row": BestRow, "best of kept": BestOfKept, "large integers": LargeIntegers}
    cases = {name: Case(model(), any_count, kinds=("scripted",)) for name, model in chosen.items()}
    for name, model in (("mean or zeros", MeanOrZeros), ("largest", Largest), ("first index", FirstIndex)):
        cases[f"{name}, none in the sample"] = Case(model(), masks([0, 4, 1]), kinds=("scripted",))
    signs = [(rows.abs() * sign, mask) for sign in (-1, 1) for rows, mask in any_count if sign < 0 or bool(mask.any())]
    cases["largest if positive"] = Case(LargestIfPositive(), signs, kinds=("scripted",))
    some = [(rows, mask) for rows, mask in signs[::-1] if bool(mask.any())]  # the file may demand one
    cases["largest if positive, in the sample"] = Case(LargestIfPositive(), some, kinds=("scripted",))
    cases["writes to the first"] = Case(WritesToFirst(), masks([4, 1, 2, 6]), kinds=("scripted",))
    cases["rows or zeros"] = Case(RowsOrZeros(), masks([4, 1, 2, 6]), kinds=("scripted",))
    cases["writes in one"] = Case(WritesInOne(), masks([4, 2, 6]), kinds=("scripted",))
    for name, model in (("mean or zeros", MeanOrZeros), ("majority", Majority), ("early return", EarlyReturn),
                        ("largest of any", LargestOfAny), ("first and last", FirstAndLast), ("two largest", TwoLargest)):
        cases[f"{name}, open"] = Case(model(), any_count, ["--dynamic", "x:0=S", "--dynamic", "mask:0=S"], kinds=("scripted",))
    return cases
