# SPDX-License-Identifier: Apache-2.0
"""Graph networks, small: self-loops by masks, sums over edges by scattering, pooling by rank.

Traced ones are PyTorch Geometric's own layers. torch cannot load its layers again once they are scripted, and a trace
keeps the number of graphs that it read, so scripted ones are written here, operation by operation as the library has
them. Samples have N nodes and E edges; other graphs have other numbers of both, self-loops, edges twice, nodes without
edges.
"""

from typing import Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric import nn as pyg

from road import SCRIPTED, TRACED, Road

WIDTH = 6
SIZES = ((7, 16), (7, 16), (11, 30), (3, 5), (5, 1), (23, 90))  # nodes and edges; the first is the sample
VARIED = "nodes/edges " + ", ".join(f"{nodes}/{edges}" for nodes, edges in SIZES[1:]) + ", self-loops only"


def generator(seed):
    return torch.Generator().manual_seed(seed)


def edges_of(nodes, edges, seed):
    """Two rows of nodes, with self-loops and repetitions; the last node is reached by none."""
    return torch.randint(0, max(nodes - 1, 1), (2, edges), generator=generator(seed))


def weights(nodes, edges, seed):
    return torch.rand(edges, generator=generator(200 + seed)) + 0.1


def kinds(nodes, edges, seed):
    return torch.randint(0, 3, (edges,), generator=generator(300 + seed))


def members(nodes, edges, seed):
    """Which of several graphs a node belongs to: one, two or more."""
    return (torch.arange(nodes) * ((seed + 1) % 4 + 1)) // nodes


def graphs(*more):
    """Nodes, edges and what else each graph has, by functions of nodes, edges and a seed."""
    runs = []
    for seed, (nodes, edges) in enumerate(SIZES):
        x = torch.randn(nodes, WIDTH, generator=generator(100 + seed))
        runs.append((x, edges_of(nodes, edges, seed), *(make(nodes, edges, seed) for make in more)))
    looped = list(runs[2])
    looped[1] = torch.arange(looped[1].size(1)).remainder(11).repeat(2, 1)
    return [*runs, tuple(looped)]


def opened(*axes):
    return [word for axis in ("x:0=N", "edge_index:1=E", *axes) for word in ("--dynamic", axis)]


class OnEdges(nn.Module):
    """Two layers, as the examples of the library have them."""

    def __init__(self, first: nn.Module, second: nn.Module):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x: Tensor, edge_index: Tensor):
        return self.second(F.relu(self.first(x, edge_index)), edge_index)


class OnWeights(OnEdges):
    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor):
        return self.second(F.relu(self.first(x, edge_index, edge_weight)), edge_index, edge_weight)


class OnKinds(OnEdges):
    def forward(self, x: Tensor, edge_index: Tensor, edge_type: Tensor):
        return self.second(F.relu(self.first(x, edge_index, edge_type)), edge_index, edge_type)


def scattered(src: Tensor, index: Tensor, size: int):
    """Sums of rows, as the library writes them."""
    index = index.view(-1, 1).expand_as(src)
    return src.new_zeros([size, src.size(1)]).scatter_add_(0, index, src)


def num_nodes_of(edge_index: Tensor) -> int:
    return int(edge_index.max()) + 1 if edge_index.numel() > 0 else 0


def with_loops(edge_index: Tensor, edge_weight: Tensor, nodes: int) -> Tuple[Tensor, Tensor]:
    """add_remaining_self_loops: self-loops keep their weights, and come last, one for each node."""
    is_edge = edge_index[0] != edge_index[1]
    loops = torch.arange(0, nodes).unsqueeze(0).repeat(2, 1)
    loop_weight = torch.ones(nodes)
    is_loop = ~is_edge
    loop_weight[edge_index[0][is_loop]] = edge_weight[is_loop]
    edge_weight = torch.cat([edge_weight[is_edge], loop_weight], 0)
    return torch.cat([edge_index[:, is_edge], loops], 1), edge_weight


class Convolution(nn.Module):
    """GCNConv, degrees by scattering."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.randn(outputs))

    def forward(self, x: Tensor, edge_index: Tensor):
        edge_index, weight = with_loops(edge_index, torch.ones(edge_index.size(1)), x.size(0))
        row, col = edge_index[0], edge_index[1]
        degree = torch.zeros(x.size(0)).scatter_add_(0, col, weight)
        inverse = degree.pow_(-0.5)
        inverse.masked_fill_(inverse == float("inf"), 0)
        weight = inverse[row] * weight * inverse[col]
        return scattered(weight.view(-1, 1) * self.lin(x).index_select(0, row), col, x.size(0)) + self.bias


class Attention(nn.Module):
    """GATConv: a softmax over the edges of each node, several heads."""

    def __init__(self, inputs: int, outputs: int, heads: int):
        super().__init__()
        self.heads, self.width = heads, outputs
        self.lin = nn.Linear(inputs, heads * outputs, bias=False)
        self.source = nn.Parameter(torch.randn(1, heads, outputs))
        self.target = nn.Parameter(torch.randn(1, heads, outputs))

    def softmax(self, scores: Tensor, index: Tensor, nodes: int):
        at = index.view(-1, 1).expand_as(scores)
        most = scores.new_zeros([nodes, scores.size(1)]).scatter_reduce(0, at, scores.detach(), "amax", include_self=False)
        raised = (scores - most.index_select(0, index)).exp()
        total = scattered(raised, index, nodes) + 1e-16
        return raised / total.index_select(0, index)

    def forward(self, x: Tensor, edge_index: Tensor):
        is_edge = edge_index[0] != edge_index[1]
        loops = torch.arange(0, x.size(0)).unsqueeze(0).repeat(2, 1)
        edge_index = torch.cat([edge_index[:, is_edge], loops], 1)
        row, col = edge_index[0], edge_index[1]
        y = self.lin(x).view(-1, self.heads, self.width)
        scores = (y * self.source).sum(-1)[row] + (y * self.target).sum(-1)[col]
        alpha = self.softmax(F.leaky_relu(scores, 0.2), col, x.size(0))
        messages = (alpha.unsqueeze(-1) * y[row]).view(-1, self.heads * self.width)
        return scattered(messages, col, x.size(0))


class Counted(nn.Module):
    """Degrees as features, one row for each node up to the last that an edge names."""

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(2, 8)
        self.conv = Convolution(8, 3)

    def forward(self, edge_index: Tensor):
        nodes = num_nodes_of(edge_index)
        ones = torch.ones(edge_index.size(1))
        degrees = [torch.zeros(nodes).index_add_(0, edge_index[i], ones) for i in range(2)]
        return self.conv(F.relu(self.up(torch.stack(degrees, 1))), edge_index)


class Isomorphism(nn.Module):
    """Xu et al. 2018, arXiv:1810.00826: classes of whole graphs."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(WIDTH, 8), nn.ReLU(), nn.Linear(8, 8))
        self.second = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor):
        x = F.relu(self.first(x + scattered(x[edge_index[0]], edge_index[1], x.size(0))))
        x = F.relu(self.second(x + scattered(x[edge_index[0]], edge_index[1], x.size(0))))
        return self.head(scattered(x, batch, int(batch.max()) + 1))


def best(score: Tensor, ratio: float, batch: Tensor):
    """The places of the best share of each graph's nodes (`topk`)."""
    graphs = int(batch.max()) + 1
    counts = torch.zeros(graphs, dtype=torch.long).scatter_add_(0, batch, torch.ones_like(batch))
    keep = (ratio * counts.to(score.dtype)).ceil().to(torch.long)
    _, order = torch.sort(score, descending=True)
    batch, again = torch.sort(batch[order], descending=False, stable=True)
    begin = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    rank = torch.arange(score.size(0)) - begin[batch]
    return order[again[rank < keep[batch]]]


def edges_among(edge_index: Tensor, chosen: Tensor, nodes: int):
    """The edges whose ends both stay, with their new numbers (`filter_adj`)."""
    number = chosen.new_full((nodes,), -1)
    number[chosen] = torch.arange(chosen.size(0))
    row, col = number[edge_index[0]], number[edge_index[1]]
    stay = (row >= 0) & (col >= 0)
    return torch.stack([row[stay], col[stay]], 0)


class TopKNet(nn.Module):
    """Gao and Ji 2019, arXiv:1905.05178: half of the nodes stay, by rank within their graph."""

    def __init__(self):
        super().__init__()
        self.before, self.after = Convolution(WIDTH, 8), Convolution(8, 8)
        self.weight = nn.Parameter(torch.randn(8))
        self.head = nn.Linear(16, 3)

    def score(self, x: Tensor, edge_index: Tensor):
        return torch.tanh((x * self.weight).sum(-1) / self.weight.norm())

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor):
        x = F.relu(self.before(x, edge_index))
        score = self.score(x, edge_index)
        chosen = best(score, 0.5, batch)
        edge_index = edges_among(edge_index, chosen, x.size(0))
        x, batch = x[chosen] * score[chosen].view(-1, 1), batch[chosen]
        x = F.relu(self.after(x, edge_index))
        graphs = int(batch.max()) + 1
        counts = x.new_zeros(graphs).scatter_add_(0, batch, torch.ones_like(x[:, 0])).clamp(min=1)
        at = batch.view(-1, 1).expand_as(x)
        most = x.new_zeros([graphs, 8]).scatter_reduce_(0, at, x, "amax", include_self=False)
        return self.head(torch.cat([most, scattered(x, batch, graphs) / counts.view(-1, 1)], 1))


class SagNet(TopKNet):
    """Lee et al. 2019, arXiv:1904.08082: scores by a graph convolution."""

    def __init__(self):
        super().__init__()
        self.scorer = Convolution(8, 1)

    def score(self, x: Tensor, edge_index: Tensor):
        return torch.tanh(self.scorer(x, edge_index).view(-1))


def two(layer, *arguments, way=OnEdges, more=(), axes=(), **options):
    def build():
        first, second = layer(WIDTH, 8, *arguments, **options), layer(8, 3, *arguments, **options)
        return Road(way(first, second), graphs(*more), opened(*axes), TRACED, VARIED)

    return build


def scripted(kind, more=(), axes=(), varied=""):
    return lambda: Road(kind(), graphs(*more), opened(*axes), SCRIPTED, VARIED + varied)


def pooled(kind):
    return scripted(kind, (members,), ("batch:0=N",), "; 1 to 4 graphs")


def counted():
    runs = [(edges,) for _, edges in graphs()]
    return Road(Counted(), runs, ["--dynamic", "edge_index:1=E"], SCRIPTED, VARIED)


GRAPHS = {
    "gcn": two(pyg.GCNConv),
    "gcn_weighted": two(pyg.GCNConv, way=OnWeights, more=(weights,), axes=("edge_weight:0=E",)),
    "gat": two(pyg.GATConv),
    "gatv2": two(pyg.GATv2Conv),
    "graph_transformer": two(pyg.TransformerConv),
    "sgc": two(pyg.SGConv, 2),
    "chebnet": two(pyg.ChebConv, 3),
    "rgcn": two(pyg.RGCNConv, 3, way=OnKinds, more=(kinds,), axes=("edge_type:0=E",)),
    "graphsage": two(pyg.SAGEConv),
    "graphsage_max": two(pyg.SAGEConv, aggr="max"),
    "gcn_scripted": scripted(lambda: OnEdges(Convolution(WIDTH, 8), Convolution(8, 3))),
    "gat_scripted": scripted(lambda: OnEdges(Attention(WIDTH, 4, 2), Attention(8, 3, 1))),
    "gcn_of_degrees": counted,
    "gin": pooled(Isomorphism),
    "topk_pool": pooled(TopKNet),
    "sag_pool": pooled(SagNet),
}
