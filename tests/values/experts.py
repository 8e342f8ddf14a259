# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts, in the ways in which libraries write them: routings leave experts unused, or give one all."""

from typing import List

import torch
from torch import Tensor, nn

from compare import Case

TOKENS, WIDTH, INNER, EXPERTS, CHOSEN = 6, 4, 8, 4, 2


class Router(nn.Module):
    """Probabilities and numbers of the best experts of each token, which the signs of its elements decide."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", 4 * torch.eye(WIDTH))

    def forward(self, x: Tensor):
        weights, chosen = torch.topk(torch.softmax(x @ self.weight, -1), 2, dim=-1)
        return weights / weights.sum(-1, keepdim=True), chosen


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router()
        self.up = nn.Parameter(torch.randn(EXPERTS, 2 * INNER, WIDTH))
        self.down = nn.Parameter(torch.randn(EXPERTS, WIDTH, INNER))


class ByMasks(Experts):
    """Each expert takes its tokens, and adds what it makes of them."""

    def forward(self, x: Tensor):
        weights, chosen = self.router(x)
        mask = nn.functional.one_hot(chosen, 4).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for i in range(4):
            place, token = torch.where(mask[i])
            gate, up = nn.functional.linear(x[token], self.up[i]).chunk(2, -1)
            y = nn.functional.linear(nn.functional.silu(gate) * up, self.down[i])
            out.index_add_(0, token, y * weights[token, place, None])
        return out


class ByGroups(Experts):
    """Tokens sorted by expert, counted, and multiplied group by group."""

    def grouped(self, x: Tensor, weight: Tensor, ends: Tensor):
        return torch._grouped_mm(x, weight.transpose(-2, -1), ends)

    def forward(self, x: Tensor):
        weights, chosen = self.router(x)
        experts, order = torch.sort(chosen.reshape(-1))
        counts = torch.histc(experts.float(), bins=4, min=0, max=3)
        ends = torch.cumsum(counts, 0, dtype=torch.int32)
        gate, up = self.grouped(x[order // chosen.size(-1)], self.up, ends).chunk(2, -1)
        y = self.grouped(nn.functional.silu(gate) * up, self.down, ends) * weights.reshape(-1)[order].unsqueeze(-1)
        back = torch.empty_like(order)
        back[order] = torch.arange(order.size(0))
        return y[back].view(x.size(0), chosen.size(-1), x.size(-1)).sum(1)


class ByGathering(Experts):
    """The matrices of its experts for each token."""

    def forward(self, x: Tensor):
        weights, chosen = self.router(x)
        rows = x.repeat_interleave(chosen.size(-1), dim=0)
        experts = chosen.reshape(-1)
        gate, up = torch.bmm(self.up[experts], rows.unsqueeze(-1)).squeeze(-1).chunk(2, -1)
        y = torch.bmm(self.down[experts], (nn.functional.silu(gate) * up).unsqueeze(-1)).squeeze(-1)
        return (y * weights.reshape(-1, 1)).view(x.size(0), chosen.size(-1), x.size(-1)).sum(1)


class ByCounts(Experts):
    """Tokens sorted by expert, and split by counts that are read."""

    def forward(self, x: Tensor):
        weights, chosen = self.router(x)
        order = chosen.reshape(-1).argsort(stable=True)
        counts = torch.bincount(chosen.reshape(-1), minlength=4)
        rows = x[order // 2]
        begin = torch.cumsum(counts, 0) - counts
        made: List[Tensor] = []
        for i in range(4):
            first, count = int(begin[i]), int(counts[i])
            gate, up = nn.functional.linear(rows[first:first + count], self.up[i]).chunk(2, -1)
            made.append(nn.functional.linear(nn.functional.silu(gate) * up, self.down[i]))
        y = torch.cat(made) * weights.reshape(-1)[order].unsqueeze(-1)
        return torch.zeros_like(x).index_add(0, order // 2, y)


def routings(tokens):
    """All experts, two of them, one for all as the first choice, one token that is alone."""
    generator = torch.Generator().manual_seed(tokens)
    draw = lambda: torch.randn(tokens, WIDTH, generator=generator)
    two = draw().abs() + torch.tensor([5.0, 5.0, 0.0, 0.0])
    last = draw().abs() + torch.tensor([0.0, 1.0, 2.0, 9.0])
    alone = torch.cat([draw()[:1] + torch.tensor([9.0, 9.0, 0.0, 0.0]), last[1:]])
    return [(draw(),), (draw(),), (two,), (last,), (alone,), (torch.zeros(tokens, WIDTH),)]


def experts():
    out, anywhere = {}, ["--dynamic", "x:0=T"]
    for way in (ByMasks, ByGroups, ByGathering, ByCounts):
        # A trace keeps the numbers that it read.
        kinds = ("scripted",) if way is ByCounts else ("traced", "scripted")
        several = routings(TOKENS) + routings(3) + routings(11)
        out[f"experts {way.__name__}"] = Case(way(), routings(TOKENS), kinds=kinds)
        out[f"experts {way.__name__}, open"] = Case(way(), several, anywhere, kinds)
    return out
