# SPDX-License-Identifier: Apache-2.0
"""Rows that a mask picks, halved, joined, subtracted from their neighbours and read one by one: tract writes their
sizes in other forms than the model does."""

from typing import List

import torch
from torch import Tensor, nn

from compare import Case


class Swapped(nn.Module):
    """The second half in front of the first, as one vector."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        half = rows.size(0) // 2
        return torch.cat([rows[half:], rows[:half] * 2]).reshape(-1)


class Thirds(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        n = rows.size(0) // 3
        moved = torch.cat([rows[n:2 * n], rows[:n], rows[2 * n:]])
        return moved.flatten(), moved.unsqueeze(0).transpose(1, 2)


class Steps(nn.Module):
    """Differences of neighbours, of which there are none where one row or none is picked."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        return (rows[1:] - rows[:-1]).reshape(-1), torch.cat([rows[2:] - rows[:-2], rows[1:2]]).reshape(-1)


class Differences(nn.Module):
    def forward(self, x: Tensor, mask: Tensor):
        return torch.diff(x[mask], dim=0)


class Histogram(nn.Module):
    """As many bins as rows, or more."""

    def forward(self, x: Tensor, mask: Tensor):
        return torch.bincount(mask.long().cumsum(0) + x.long()[:, 0] * 0, minlength=x[mask].size(0) + 2)


class Decayed(nn.Module):
    """A loop over the rows."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        total = torch.zeros(4)
        for i in range(rows.size(0)):
            total = total * 0.5 + rows[i]
        return total


class Backwards(nn.Module):
    """A loop whose length only its own condition tells."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        left = rows.size(0) - 1
        total = torch.zeros(4)
        while left >= 0:
            total = total * 0.5 + rows[left]
            left -= 1
        return total


class Collected(nn.Module):
    """What iterations collect in a list, and the last of it."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        steps: List[Tensor] = []
        for i in range(rows.size(0)):
            steps.append(rows[i] * i)
        return torch.stack(steps), steps[-1]


class UpToFour(nn.Module):
    """A loop that may end before its rows do, though not where three are picked."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        y = torch.zeros(4)
        for i in range(min(rows.size(0), 4)):
            y = y * 0.5 + rows[i]
        return y


class AsManyAs(nn.Module):
    """A loop over as many rows as a number says, all of them in the last run."""

    def forward(self, x: Tensor, mask: Tensor):
        y = torch.zeros(4)
        for i in range(int(mask.sum())):
            y = y * 0.5 + x[i]
        return y


class AsManyAsTrue(nn.Module):
    """As many as the mask picks, counted otherwise."""

    def forward(self, x: Tensor, mask: Tensor):
        rows = x[mask]
        y = torch.zeros(4)
        for i in range(int(mask.sum())):
            y = y * 0.5 + rows[i]
        return y


class EveryOther(nn.Module):
    """A mask that follows from a size alone."""

    def forward(self, x: Tensor):
        rows = x[torch.arange(x.size(0)) % 2 == 0]
        return rows.sum(0), rows * 2


class Downsampled(nn.Module):
    """Every second step of a recurrent layer, by a convolution of one entry."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 5, batch_first=True)
        self.mix = nn.Conv1d(5, 3, 1, stride=2)

    def forward(self, x: Tensor):
        steps, _ = self.layer(x)
        return self.mix(steps.transpose(1, 2))


def masks(counts):
    """Six rows, of which a mask picks so many."""
    generator = torch.Generator().manual_seed(1)
    out = []
    for count in counts:
        mask = torch.zeros(6, dtype=torch.bool)
        mask[torch.randperm(6, generator=generator)[:count]] = True
        out.append((torch.randn(6, 4, generator=generator), mask))
    return out


def rows():
    torch.manual_seed(0)
    steps = [(torch.randn(1, size, 4),) for size in (6, 7, 1, 12)]
    any_count = masks([4, 0, 1, 2, 3, 5, 6])
    return {
        "swapped halves": Case(Swapped(), any_count),
        "thirds": Case(Thirds(), any_count),
        "steps": Case(Steps(), any_count),
        "differences": Case(Differences(), any_count),
        "histogram": Case(Histogram(), any_count),
        "decayed": Case(Decayed(), masks([4, 1, 2, 5, 6]), kinds=("scripted",)),  # a trace has as many as its sample
        "decayed, a row in the sample": Case(Decayed(), masks([1, 4, 2]), kinds=("scripted",)),
        "backwards": Case(Backwards(), masks([4, 1, 2, 3, 6]), kinds=("scripted",)),
        "collected": Case(Collected(), masks([4, 1, 2, 3, 6]), kinds=("scripted",)),
        "up to four": Case(UpToFour(), masks([3, 1, 2, 4, 5, 6]), kinds=("scripted",)),
        "up to four, of five": Case(UpToFour(), masks([5, 1, 2, 4, 6]), kinds=("scripted",)),
        "as many as": Case(AsManyAs(), masks([3, 1, 2, 5, 6]), kinds=("scripted",)),
        "as many as, all in the sample": Case(AsManyAs(), masks([6, 1, 2, 5]), kinds=("scripted",)),
        "as many as true": Case(AsManyAsTrue(), masks([4, 1, 2, 6]), kinds=("scripted",)),
        "every other": Case(EveryOther(), [(torch.randn(size, 4),) for size in (6, 7, 1, 2, 11)], ["--dynamic", "x:0=S"]),
        "every other, closed": Case(EveryOther(), [(torch.randn(6, 4),)]),
        "downsampled": Case(Downsampled(), steps, ["--dynamic", "x:1=S"]),
        "downsampled, closed": Case(Downsampled(), steps[:1]),
    }
