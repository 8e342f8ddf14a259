"""Models that remember, for the command-line tests; other_models.write_all() writes them."""

from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn


class Accumulator(nn.Module):
    """Sets an attribute."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(2, 3))

    def forward(self, x):
        h = torch.tanh(self.h + x)
        self.h = h
        return h * 2


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("kept", torch.ones(2, 3))

    def forward(self, x):
        self.count.add_(1)
        y = x * self.count + self.kept
        self.kept.copy_(y)
        return y


class Writer(nn.Module):
    """Writes in place: through a view, through an index, and to what a dictionary holds."""

    cache: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.inner = Counter()
        self.cache = {"k": torch.zeros(4, 3), "v": torch.zeros(4, 3)}
        self.register_buffer("rows", torch.ones(4, 3))

    def forward(self, x):
        y = self.inner(x)
        self.cache["k"][1:3] = y
        self.cache["v"] = self.cache["v"] * 0.5 + 1
        self.rows[torch.tensor([0, 2])] = y
        return self.rows + self.cache["k"] + self.cache["v"]


class PlainValues(nn.Module):
    """What no tensor holds cannot become an input."""

    def __init__(self):
        super().__init__()
        self.steps = 0
        self.was_called = False
        self.first = torch.jit.Attribute(None, Optional[torch.Tensor])

    def forward(self, x):
        self.steps += 1
        if not self.was_called:
            self.was_called = True
        first = self.first
        if first is None:
            first = torch.zeros_like(x)
        self.first = first + x
        return x * self.steps + first


class Growing(nn.Module):
    history: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.register_buffer("past", torch.ones(1, 1, 3))
        self.history = [torch.zeros(3)]

    def forward(self, x):
        self.past = torch.cat([self.past, x], 1)
        self.history.append(x[0, 0])
        return self.past.sum(1) + self.history[0]


class GrowingCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("past", torch.ones(1, 4, 3))

    def forward(self, x):
        self.past = torch.cat([self.past, x], 1)
        return torch.softmax(x @ self.past.transpose(1, 2), -1) @ self.past


class Scratch(nn.Module):
    """Nothing here crosses calls: all is written before it is read, or never read."""

    pyramid: List[torch.Tensor]
    history: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.pyramid = [torch.zeros(0)]
        self.history = [torch.zeros(1)]
        self.last = torch.zeros(1)
        self.register_buffer("canvas", torch.zeros(2, 3))

    def forward(self, x):
        self.pyramid = []
        for i in range(3):
            self.pyramid.append(x * i)
        self.last = x
        self.history.append(x)
        self.canvas.copy_(x)
        self.canvas.mul_(2)
        return self.pyramid[1] + self.pyramid[2] + self.canvas


class SharedMemory(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("whole", torch.zeros(4, 3))
        self.register_buffer("part", self.whole[:2])

    def forward(self, x):
        self.part.add_(x)
        return self.whole.sum(0) + self.part


class Clash(nn.Module):
    """An argument and an output have the names that the state would take."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(3))

    def forward(self, h):
        self.h = self.h + h
        return {"h_state_next": self.h * 2}


class ConvInPieces(nn.Module):
    """Keeps what the next piece needs: in pieces it gives what it gives at once."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 3, dilation=2)
        self.register_buffer("before", torch.zeros(1, 3, 4))

    def forward(self, x):
        x = torch.cat([self.before, x], dim=2)
        self.before = x[:, :, -4:]
        return self.conv(x)


class RunningLevel(nn.Module):
    """Its level follows the pieces, so that it matters how long they are."""

    def __init__(self):
        super().__init__()
        self.register_buffer("level", torch.ones(1, 3, 1))

    def forward(self, x):
        self.level = 0.5 * self.level + 0.5 * x.abs().mean(2, keepdim=True)
        return x / self.level


class LstmStep(nn.Module):
    """State as a tuple, in and out."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, num_layers=2, batch_first=True)

    def forward(self, x, state: Tuple[torch.Tensor, torch.Tensor]):
        return self.lstm(x, state)


class LstmInside(nn.Module):
    """State as a tuple that the model keeps."""

    hc: Tuple[torch.Tensor, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, batch_first=True)
        self.hc = (torch.zeros(1, 2, 5), torch.zeros(1, 2, 5))

    def forward(self, x):
        y, self.hc = self.lstm(x, self.hc)
        return y


class KeyValue(NamedTuple):
    k: torch.Tensor
    v: torch.Tensor


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x, past: KeyValue) -> Tuple[torch.Tensor, KeyValue]:
        q, k, v = self.qkv(x).view(x.size(0), x.size(1), 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        k = torch.cat([past.k, k], 2)
        v = torch.cat([past.v, v], 2)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return x + y.transpose(1, 2).reshape(x.shape), KeyValue(k, v)


class CacheOfPairs(nn.Module):
    """`P` positions before, `S` new ones: a pair per layer, in and out."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention(), Attention()])

    def forward(self, x, past: List[KeyValue]) -> Tuple[torch.Tensor, List[KeyValue]]:
        present: List[KeyValue] = []
        for i, layer in enumerate(self.layers):
            x, pair = layer(x, past[i])
            present.append(pair)
        return x, present


class CacheAsDictionary(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Attention()

    def forward(self, x, past: Dict[str, torch.Tensor]):
        y, pair = self.layer(x, KeyValue(past["k"], past["v"]))
        return {"y": y, "k": pair.k, "v": pair.v}


class CacheInside(nn.Module):
    """A cache of fixed size in buffers, written at a position that is an input."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.register_buffer("k", torch.zeros(1, 2, 6, 4))
        self.register_buffer("v", torch.zeros(1, 2, 6, 4))

    def forward(self, x, position):
        q, k, v = self.qkv(x).view(1, -1, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        self.k.index_copy_(2, position, k)
        self.v[:, :, position] = v
        y = torch.nn.functional.scaled_dot_product_attention(q, self.k, self.v)
        return y.transpose(1, 2).reshape(x.shape)


class StreamingConv(nn.Module):
    """Keeps the last samples of the block before."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 5)
        self.register_buffer("buf", torch.zeros(1, 3, 4))
        self.register_buffer("pos", torch.zeros(1, dtype=torch.int64))

    def forward(self, x):
        joined = torch.cat([self.buf, x], 2)
        self.buf = joined[..., -4:]
        self.pos.add_(x.shape[2])
        return self.conv(joined), self.pos * 2


class RunningStatistics(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("var", torch.ones(3))

    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.var.lerp_(x.var(0), 0.1)
        return (x - self.mean) / (self.var + 1e-3).sqrt()


class DelayLine(nn.Module):
    """What comes out is what was kept, and what is kept is what came in."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", torch.zeros(3))

    def forward(self, x):
        y = self.b
        self.b = self.a
        self.a = x
        return y


class TrainingNorm(nn.Module):
    """Its statistics are written by an operator that does not say so."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("var", torch.ones(3))

    def forward(self, x):
        return torch.nn.functional.batch_norm(x, self.mean, self.var, training=True)


class MadeOnDemand(nn.Module):
    """Tables that the first call fills in, the same for every input."""

    tables: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.mask = torch.jit.Attribute(None, Optional[torch.Tensor])
        self.tables = {}
        self.size = 0

    def forward(self, x):
        if self.size < x.shape[1]:
            self.size = x.shape[1]
            self.mask = torch.ones(x.shape[1]).cumsum(0)
        if "w" not in self.tables:
            self.tables["w"] = self.weight.exp()
        mask = self.mask
        assert mask is not None
        return x * mask * self.tables["w"]


class KeepsTheFirst(nn.Module):
    """Looks like a table, but an input made it."""

    def __init__(self):
        super().__init__()
        self.first = torch.jit.Attribute(None, Optional[torch.Tensor])
        self.scale = 0.0

    def forward(self, x):
        if self.scale == 0.0:
            self.scale = float(x.max())
        first = self.first
        if first is None:
            first = x + 1
            self.first = first
        return x * first * self.scale


class WakesUp(nn.Module):
    """Two calls are alike, the third is another."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 2 if self.calls > 2 else x + 1


class WritesConstant(nn.Module):
    def forward(self, x):
        total = torch.tensor(0.5)
        total += x.sum()
        return x * total
# SPDX-License-Identifier: Apache-2.0
