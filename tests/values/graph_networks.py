# SPDX-License-Identifier: Apache-2.0
"""Graph networks, as PyTorch Geometric writes them: from one edge on, with self-loops, and nodes that no edge reaches."""

import torch
from torch import Tensor, nn

from compare import Case

WIDTH = 3


class Convolution(nn.Module):
    """Self-loops apart, one for each node, their weights kept; sums over edges, divided by degrees."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(WIDTH, 4, bias=False)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor):
        nodes = x.size(0)
        is_edge = edge_index[0] != edge_index[1]
        loop_weight = torch.ones(nodes)
        is_loop = ~is_edge
        loop_weight[edge_index[0][is_loop]] = edge_weight[is_loop]
        loops = torch.arange(0, nodes).unsqueeze(0).repeat(2, 1)
        edges = torch.cat([edge_index[:, is_edge], loops], 1)
        row, col = edges[0], edges[1]
        weight = torch.cat([edge_weight[is_edge], loop_weight], 0)
        inverse = torch.zeros(nodes).scatter_add_(0, col, weight).pow_(-0.5)
        inverse.masked_fill_(inverse == float("inf"), 0)
        messages = (inverse[row] * weight * inverse[col]).view(-1, 1) * self.lin(x).index_select(0, row)
        return torch.zeros(nodes, 4).scatter_add_(0, col.view(-1, 1).expand_as(messages), messages)


class Pooled(nn.Module):
    """The better half of each graph's nodes, the edges between them, sums of what is left: as many as there are graphs."""

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor):
        score = torch.tanh(x.sum(-1))
        graphs = int(batch.max()) + 1
        counts = torch.zeros(graphs, dtype=torch.long).scatter_add_(0, batch, torch.ones_like(batch))
        keep = (0.5 * counts.to(score.dtype)).ceil().to(torch.long)
        order = torch.sort(score, descending=True)[1]
        sorted_batch, again = torch.sort(batch[order], descending=False, stable=True)
        begin = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        rank = torch.arange(score.size(0)) - begin[sorted_batch]
        chosen = order[again[rank < keep[sorted_batch]]]
        number = chosen.new_full((x.size(0),), -1)
        number[chosen] = torch.arange(chosen.size(0))
        row, col = number[edge_index[0]], number[edge_index[1]]
        stay = (row >= 0) & (col >= 0)
        y = x[chosen] * score[chosen].view(-1, 1)
        y = y + torch.zeros_like(y).index_add_(0, col[stay], y[row[stay]])
        return torch.zeros(graphs, x.size(1)).index_add_(0, batch[chosen], y)


def drawn(nodes, edges, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(nodes, WIDTH, generator=generator)
    edge_index = torch.randint(0, max(nodes - 1, 1), (2, edges), generator=generator)
    return x, edge_index, torch.rand(edges, generator=generator) + 0.1


def graphs():
    sizes = [(6, 14), (9, 30), (4, 2), (5, 1), (1, 3), (20, 60)]
    given = [drawn(*each, seed) for seed, each in enumerate(sizes)]
    axes = [word for axis in ("input_0:0=N", "input_1:1=E", "input_2:0=E") for word in ("--dynamic", axis)]
    batches = [(torch.arange(x.size(0)) * (seed % 3 + 2)) // (x.size(0) + 1) for seed, (x, _, _) in enumerate(given)]
    pooled = [(x, edges, batch) for (x, edges, _), batch in zip(given, batches)]
    return {
        "graph convolution": Case(Convolution(), given, axes),
        "graph pooling": Case(Pooled(), pooled, [*axes[:4], "--dynamic", "input_2:0=N"], ("scripted",)),
    }
