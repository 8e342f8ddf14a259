# SPDX-License-Identifier: Apache-2.0
"""Recommenders, graph networks, sequences and control, as their papers describe them.

Most recommenders stop at the logit: under random weights their sigmoid is 0 or 1 and hides errors.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from common import BOTH, Entry, tokens

ITEMS = 1000  # rows of the embedding tables: the papers' are the size of their data


def mlp(*widths, last=nn.Identity):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1], last())


class Dlrm(nn.Module):
    """Naumov et al. 2019, arXiv:1906.00091: bags of features, all pairs of dot products."""

    def __init__(self, features=26, width=16):
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(ITEMS, width, mode="sum") for _ in range(features)])
        self.bottom = mlp(13, 512, 256, 64, width, last=nn.ReLU)
        self.top = mlp(width + (features + 1) * features // 2, 512, 256, 1)
        rows, columns = torch.tril_indices(features + 1, features + 1, -1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        vectors = [bag(sparse[:, i]) for i, bag in enumerate(self.bags)]
        table = torch.stack([x] + vectors, 1)
        products = table @ table.transpose(1, 2)
        return self.top(torch.cat([x, products[:, self.rows, self.columns]], 1))


class NeuMf(nn.Module):
    """He et al. 2017, arXiv:1708.05031: a product and a perceptron of user and item."""

    def __init__(self, width=16):
        super().__init__()
        tables = [nn.Embedding(ITEMS, w) for w in (width, width, 4 * width, 4 * width)]
        self.user_product, self.item_product, self.user, self.item = tables
        self.perceptron = mlp(8 * width, 4 * width, 2 * width, width, last=nn.ReLU)
        self.head = nn.Linear(2 * width, 1)

    def forward(self, user, item):
        product = self.user_product(user) * self.item_product(item)
        deep = self.perceptron(torch.cat([self.user(user), self.item(item)], -1))
        return torch.sigmoid(self.head(torch.cat([product, deep], -1)))


class Fields(nn.Module):
    """One table for all fields: each field's values follow those of the field before it."""

    def __init__(self, fields, width):
        super().__init__()
        self.table = nn.Embedding(fields * 100, width)
        self.register_buffer("offsets", torch.arange(fields) * 100)

    def forward(self, values):
        return self.table(values + self.offsets)


class DeepFm(nn.Module):
    """Guo et al. 2017, arXiv:1703.04247: a factorisation machine beside a perceptron."""

    def __init__(self, fields=39, width=10):
        super().__init__()
        self.linear, self.factors = Fields(fields, 1), Fields(fields, width)
        self.deep = mlp(fields * width, 400, 400, 400, 1)

    def forward(self, values):
        v = self.factors(values)
        pairs = 0.5 * (v.sum(1) ** 2 - (v**2).sum(1)).sum(-1, keepdim=True)
        return self.linear(values).sum(1) + pairs + self.deep(v.flatten(1))


class WideDeep(nn.Module):
    """Cheng et al. 2016, arXiv:1606.07792."""

    def __init__(self, fields=10, dense=6):
        super().__init__()
        self.wide, self.fields = Fields(fields, 1), Fields(fields, 32)
        self.deep = mlp(fields * 32 + dense, 1024, 512, 256, 1)

    def forward(self, dense, values):
        deep = self.deep(torch.cat([dense, self.fields(values).flatten(1)], 1))
        return self.wide(values).sum(1) + deep


class CrossNetwork(nn.Module):
    """Wang et al. 2020, arXiv:2008.13535: DCN-V2, cross layers stacked under a perceptron."""

    def __init__(self, fields=26, width=16, layers=3):
        super().__init__()
        self.fields = Fields(fields, width)
        self.crosses = nn.ModuleList([nn.Linear(fields * width, fields * width) for _ in range(layers)])
        self.deep = mlp(fields * width, 512, 256, 1)

    def forward(self, values):
        x0 = self.fields(values).flatten(1)
        x = x0
        for cross in self.crosses:
            x = x0 * cross(x) + x
        return self.deep(x)


class Dice(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.alpha = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        p = torch.sigmoid(self.norm(x))
        return p * x + (1 - p) * self.alpha * x


class Din(nn.Module):
    """Zhou et al. 2017, arXiv:1706.06978: past items weighed by the candidate, unnormalised."""

    def __init__(self, width=18):
        super().__init__()
        self.items = nn.Embedding(ITEMS, width, padding_idx=0)
        self.attend = nn.Sequential(nn.Linear(4 * width, 36), nn.PReLU(), nn.Linear(36, 1))
        self.head = nn.Sequential(nn.Linear(3 * width, 200), Dice(200), nn.Linear(200, 80), Dice(80), nn.Linear(80, 2))

    def forward(self, candidate, history):
        target, past = self.items(candidate), self.items(history)
        query = target.unsqueeze(1).expand_as(past)
        weights = self.attend(torch.cat([query, past, query - past, query * past], -1))
        weights = weights.masked_fill((history == 0).unsqueeze(-1), 0.0)
        interest = (weights * past).sum(1)
        return self.head(torch.cat([interest, target, interest * target], 1))


class TwoTower(nn.Module):
    """Covington et al. 2016 and after: bags of watched items and of words, a cosine."""

    def __init__(self, width=64):
        super().__init__()
        self.watched = nn.EmbeddingBag(ITEMS, width, mode="mean")
        self.words = nn.EmbeddingBag(ITEMS, width, mode="sum")
        self.user, self.item = mlp(width + 4, 256, 128), mlp(width, 256, 128)

    def forward(self, profile, history, words, weights):
        user = self.user(torch.cat([self.watched(history), profile], 1))
        item = self.item(self.words(words, per_sample_weights=weights))
        return (F.normalize(user, dim=1) @ F.normalize(item, dim=1).T) / 0.05


class SasRec(nn.Module):
    """Kang and McAuley 2018, arXiv:1808.09781: causal attention, scores of all items."""

    def __init__(self, width=50, length=20):
        super().__init__()
        self.items, self.places = nn.Embedding(ITEMS, width, padding_idx=0), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, 1, width, 0.2, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width), enable_nested_tensor=False)
        self.register_buffer("causal", torch.ones(length, length).triu(1).bool())

    def forward(self, history):
        x = self.items(history) * math.sqrt(50) + self.places.weight
        return self.blocks(x, mask=self.causal) @ self.items.weight.T


NODES, LINKS = 34, 156  # as many as Zachary's karate club


class Graph(nn.Module):
    """A fixed random graph with self loops."""

    def __init__(self):
        super().__init__()
        loops = torch.arange(NODES)
        self.register_buffer("source", torch.cat([torch.randint(0, NODES, (LINKS,)), loops]))
        self.register_buffer("target", torch.cat([torch.randint(0, NODES, (LINKS,)), loops]))


class Gcn(Graph):
    """Kipf and Welling 2016, arXiv:1609.02907."""

    def __init__(self, widths=(16, 16, 4)):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths, widths[1:])])
        degree = torch.zeros(NODES).index_add(0, self.target, torch.ones(LINKS + NODES))
        self.register_buffer("norm", (degree[self.source] * degree[self.target]).rsqrt()[:, None])

    def forward(self, features):
        x = features
        for i, layer in enumerate(self.layers):
            messages = layer(F.relu(x) if i else x)[self.source] * self.norm
            x = torch.zeros(x.shape[0], messages.shape[1]).index_add(0, self.target, messages)
        return x.log_softmax(-1)


class AttentionLayer(Graph):
    def __init__(self, inputs, outputs, heads):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.project = nn.Linear(inputs, heads * outputs, bias=False)
        self.from_source = nn.Parameter(torch.randn(heads, outputs) / 3)
        self.from_target = nn.Parameter(torch.randn(heads, outputs) / 3)

    def forward(self, x):
        h = self.project(x).view(-1, self.heads, self.outputs)
        a, b = (h * self.from_source).sum(-1), (h * self.from_target).sum(-1)
        scores = F.leaky_relu(a[self.source] + b[self.target], 0.2)
        places = self.target[:, None].expand_as(scores)
        highest = torch.full((x.shape[0], self.heads), -1e9).scatter_reduce(0, places, scores, "amax")
        weights = (scores - highest[self.target]).exp()
        total = torch.zeros(x.shape[0], self.heads).scatter_add(0, places, weights)
        weighted = h[self.source] * (weights / total[self.target]).unsqueeze(-1)
        return torch.zeros_like(h).index_add(0, self.target, weighted)


class Gat(nn.Module):
    """Velickovic et al. 2017, arXiv:1710.10903."""

    def __init__(self):
        super().__init__()
        self.first, self.second = AttentionLayer(16, 8, 8), AttentionLayer(64, 4, 1)

    def forward(self, features):
        return self.second(F.elu(self.first(features).flatten(1))).mean(1).log_softmax(-1)


class Gin(Graph):
    """Xu et al. 2018, arXiv:1810.00826: sums, perceptrons, all layers read out."""

    def __init__(self, width=32, layers=4):
        super().__init__()
        widths = [16] + [width] * layers
        self.layers = nn.ModuleList([nn.Sequential(
            nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU()) for inputs in widths[:-1]])
        self.epsilon = nn.Parameter(torch.zeros(layers))
        self.heads = nn.ModuleList([nn.Linear(inputs, 2) for inputs in widths])

    def forward(self, features):
        x = features
        read = [x.sum(0)]
        for i, layer in enumerate(self.layers):
            around = torch.zeros_like(x).index_add_(0, self.target, x[self.source])
            x = layer((1 + self.epsilon[i]) * x + around)
            read.append(x.sum(0))
        total = torch.zeros(2)
        for i, head in enumerate(self.heads):
            total = total + head(read[i])
        return total


class GraphSage(Graph):
    """Hamilton et al. 2017, arXiv:1706.02216: the mean aggregator."""

    def __init__(self, widths=(16, 32, 4)):
        super().__init__()
        self.own = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths, widths[1:])])
        self.around = nn.ModuleList([nn.Linear(a, b, bias=False) for a, b in zip(widths, widths[1:])])

    def forward(self, features):
        x = features
        for own, around in zip(self.own, self.around):
            places = self.target[:, None].expand(-1, x.shape[1])
            mean = torch.zeros_like(x).scatter_reduce(0, places, x[self.source], "mean", include_self=False)
            x = F.normalize(F.relu(own(x) + around(mean)), dim=-1)
        return x


class Tagger(nn.Module):
    def __init__(self, rnn):
        super().__init__()
        self.embed = nn.Embedding(500, 32)
        self.rnn = rnn(32, 48, num_layers=2, bidirectional=True, batch_first=True)
        self.tag = nn.Linear(96, 9)

    def forward(self, tokens):
        return self.tag(self.rnn(self.embed(tokens))[0])


def tagger(rnn):
    return Entry(Tagger(rnn), (tokens(),), BOTH, False)


class TextCnn(nn.Module):
    """Kim 2014, arXiv:1408.5882: windows of 3, 4 and 5 words, the largest over time."""

    def __init__(self, width=300):
        super().__init__()
        self.embed = nn.Embedding(500, width)
        self.convs = nn.ModuleList([nn.Conv1d(width, 100, kernel) for kernel in (3, 4, 5)])
        self.head = nn.Linear(300, 2)

    def forward(self, tokens):
        x = self.embed(tokens).transpose(1, 2)
        return self.head(torch.cat([F.relu(conv(x)).max(-1)[0] for conv in self.convs], 1))


class Translator(nn.Module):
    """Vaswani et al. 2017, arXiv:1706.03762: torch's own encoder and decoder."""

    def __init__(self, width=64):
        super().__init__()
        self.source, self.target = nn.Embedding(500, width), nn.Embedding(500, width)
        self.body = nn.Transformer(width, 4, 2, 2, 128, batch_first=True)
        angles = torch.arange(32.0)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(1e4) / width))
        self.register_buffer("places", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))
        self.head = nn.Linear(width, 500)

    def forward(self, source, target):
        length = target.shape[1]
        causal = torch.full((length, length), float("-inf")).triu(1)
        x = self.source(source) * 8.0 + self.places[: source.shape[1]]
        y = self.target(target) * 8.0 + self.places[:length]
        return self.head(self.body(x, y, tgt_mask=causal))


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.padding = 6 * dilation
        self.first = nn.Conv1d(inputs, outputs, 7, dilation=dilation)
        self.second = nn.Conv1d(outputs, outputs, 7, dilation=dilation)
        self.skip = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = F.relu(self.first(F.pad(x, (self.padding, 0))))
        y = F.relu(self.second(F.pad(y, (self.padding, 0))))
        return F.relu(y + self.skip(x))


def tcn():
    """Bai et al. 2018, arXiv:1803.01271: sequential MNIST, 8 levels of 25 channels."""
    blocks = [TemporalBlock(25 if i else 1, 25, 2**i) for i in range(8)]
    return Entry(nn.Sequential(*blocks, nn.Conv1d(25, 10, 1)), (torch.randn(1, 1, 784),))


class NBeats(nn.Module):
    """Oreshkin et al. 2019, arXiv:1905.10437: generic blocks, each explains what is left."""

    def __init__(self, blocks=30, width=512, seen=60, ahead=12, basis=32):
        super().__init__()
        self.blocks = nn.ModuleList([mlp(seen, *[width] * 4, last=nn.ReLU) for _ in range(blocks)])
        self.thetas = nn.ModuleList([nn.Linear(width, 2 * basis) for _ in range(blocks)])
        self.backward_basis = nn.ModuleList([nn.Linear(basis, seen) for _ in range(blocks)])
        self.forward_basis = nn.ModuleList([nn.Linear(basis, ahead) for _ in range(blocks)])

    def forward(self, series):
        forecast = torch.zeros(1)
        for block, theta, back, ahead in zip(self.blocks, self.thetas, self.backward_basis, self.forward_basis):
            a, b = theta(block(series)).chunk(2, -1)
            series, forecast = series - back(a), forecast + ahead(b)
        return forecast


def dqn():
    """Mnih et al. 2015: the Nature network on four frames of 84 x 84."""
    layers = [nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU()]
    return Entry(nn.Sequential(*layers, nn.Flatten(), mlp(3136, 512, 18)), (torch.rand(1, 4, 84, 84),))


def features():
    return (torch.randn(NODES, 16),)


def ids(*shape, below=ITEMS):
    return torch.randint(1, below, shape)


OTHER = {
    "dlrm": lambda: Entry(Dlrm(), (torch.randn(4, 13), ids(4, 26, 3)), BOTH, False),
    "neumf": lambda: Entry(NeuMf(), (ids(4), ids(4)), BOTH, False),
    "deepfm": lambda: Entry(DeepFm(), (ids(4, 39, below=100),), BOTH, False),
    "wide_deep": lambda: Entry(WideDeep(), (torch.randn(4, 6), ids(4, 10, below=100)), BOTH, False),
    "dcn_v2": lambda: Entry(CrossNetwork(), (ids(4, 26, below=100),), BOTH, False),
    "din": lambda: Entry(Din(), (ids(4), ids(4, 20) * (torch.arange(20) < 15)), BOTH, False),
    "two_tower": lambda: Entry(
        TwoTower(), (torch.randn(3, 4), ids(3, 12), ids(5, 6), torch.rand(5, 6)), BOTH, False),
    "sasrec": lambda: Entry(SasRec(), (ids(2, 20),), BOTH, False),
    "gcn": lambda: Entry(Gcn(), features(), BOTH, False),
    "gat": lambda: Entry(Gat(), features(), BOTH, False),
    "gin": lambda: Entry(Gin(), features(), BOTH, False),
    "graph_sage": lambda: Entry(GraphSage(), features(), BOTH, False),
    "lstm_tagger": lambda: tagger(nn.LSTM),
    "gru_tagger": lambda: tagger(nn.GRU),
    "text_cnn": lambda: Entry(TextCnn(), (tokens(2, 20),), BOTH, False),
    "translator": lambda: Entry(Translator(), (tokens(2, 9), tokens(2, 7)), BOTH, False),
    "tcn": tcn,
    "n_beats": lambda: Entry(NBeats(), (torch.randn(2, 60),)),
    "dqn": dqn,
}
