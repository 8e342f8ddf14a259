"""Models that remember, and models with several methods or odd signatures, for the CLI's tests."""

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


class HasMethods(nn.Module):
    """As a model of speech has them: no forward, but exported steps."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    @torch.jit.export
    def encode(self, x):
        return self.linear(x).relu()

    @torch.jit.export
    def decode_step(self, h, k: int):
        return h * k


class Translator(nn.Module):
    """Two entry points over the same weights."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 4)
        self.last = nn.Linear(4, 3)

    @torch.jit.export
    def encode(self, x):
        return self.shared(x).tanh()

    @torch.jit.export
    def decode(self, x, memory):
        return self.last(self.shared(x) + memory.mean(1, keepdim=True))

    @torch.jit.export
    def sample(self, x):
        return torch.bernoulli(self.shared(x).sigmoid())


class HasTracedMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x)

    def encode(self, x, scale):
        return self.linear(x).relu() * scale


def traced_methods(path):
    """Every method keeps its own sample inputs."""
    samples = {"forward": torch.ones(2, 4), "encode": (torch.ones(5, 4), torch.ones(3))}
    torch.jit.trace_module(HasTracedMethods(), samples, check_trace=False).save(path)


class LeavesInputsUnused(nn.Module):
    def forward(self, x, mask, lengths):
        return x * lengths.shape[0]


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


class Thirds(nn.Module):
    def forward(self, n):
        return n // 3


class Fifths(nn.Module):
    def forward(self, n):
        return n // 5


class MultipliesIntegers(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 4)

    def forward(self, ids, n):
        return self.table(ids) + (ids * 300000).to(torch.float32)[:, None], n * n


class MissingInLoop(nn.Module):
    """The operator that no target has is in the body of a loop over an open axis."""

    def forward(self, x):
        h = torch.zeros_like(x[:, 0])
        for t in range(x.size(1)):
            h = torch.special.airy_ai(x[:, t]) + h
        return h


class FoldsAway(nn.Module):
    """Constants and what nothing reads are no operations of the exported graph."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.ones(3))

    def forward(self, x):
        unread = torch.special.airy_ai(x)
        return x * torch.special.airy_ai(self.w)


class CachedWords(nn.Module):
    """A language model of one layer with a cache, plain or with something that its client does not take."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.words = nn.Embedding(11, 8)
        self.qkv = nn.Linear(8, 24)

    def forward(self, ids, key, value, *more):
        x = self.words(ids)
        q, k, v = self.qkv(x).chunk(3, -1)
        score = q * key.mean() if self.kind == "reads_cache" else q
        keys = torch.cat([k, key] if self.kind == "behind" else [key, k], 1)
        values = torch.cat([value, v], 1)
        seen = torch.softmax(score @ keys.transpose(1, 2), -1) @ values
        logits = (x + seen) @ self.words.weight.t()
        if self.kind == "fixed":
            return logits, keys[:, -key.shape[1] :], values
        return (logits, keys) if self.kind == "one_back" else (logits, keys, values)


def language_models(folder):
    torch.manual_seed(3)
    ids, cache = torch.tensor([[1, 2, 3]]), torch.randn(1, 4, 8)
    for kind in ["plain", "reads_cache", "behind", "fixed", "one_back"]:
        model = torch.jit.trace(CachedWords(kind).eval(), (ids, cache, cache + 1), check_trace=False)
        model.save(folder / f"words_{kind}.pt")
    short = CachedWords("plain").eval()
    torch.jit.trace(short, (ids.int(), cache, cache + 1), check_trace=False).save(folder / "words_i32.pt")


class PicksPositive(nn.Module):
    """Nothing is the largest of none: the file demands one or more."""

    def forward(self, x):
        picked = x[x > 0]
        return picked, picked.max()


class HalvesUntilSmall(nn.Module):
    """How often it halves follows from the values."""

    def forward(self, x):
        while float(x.abs().max()) > 1.0:
            x = x * 0.5
        return x


class UpsamplesInHalf(nn.Module):
    """LibTorch's own kernel of 16 bits is off by many roundings here, on most processors."""

    def __init__(self, seed=5):
        super().__init__()
        torch.manual_seed(seed)
        self.up = nn.ConvTranspose2d(512, 4, 5).half()

    def forward(self, x):
        return self.up(x)


MODELS = [
    Accumulator,
    Counter,
    ConvInPieces,
    RunningLevel,
    Writer,
    PlainValues,
    Growing,
    GrowingCache,
    Scratch,
    SharedMemory,
    Clash,
    LstmStep,
    LstmInside,
    CacheOfPairs,
    CacheAsDictionary,
    CacheInside,
    StreamingConv,
    RunningStatistics,
    DelayLine,
    TrainingNorm,
    MadeOnDemand,
    KeepsTheFirst,
    WakesUp,
    Thirds,
    Fifths,
    MultipliesIntegers,
    MissingInLoop,
    FoldsAway,
    PicksPositive,
    HalvesUntilSmall,
    UpsamplesInHalf,
]


def table_of_half_bytes(path):
    """Two codes to a byte, which LibTorch does not read back."""
    rows = torch.quantize_per_channel(torch.randn(10, 16), torch.ones(10), torch.zeros(10), 0, torch.quint4x2)
    table = torch.ao.nn.quantized.Embedding(10, 16, dtype=torch.quint4x2)
    table.set_weight(rows)
    torch.jit.script(table).save(path)


class FakeQuantises(torch.nn.Module):
    """Its observer is off, and saw data only if asked to."""

    def __init__(self, scale=1.0, is_calibrated=False):
        super().__init__()
        self.quantiser = torch.ao.quantization.FakeQuantize(quant_min=0, quant_max=255)
        if is_calibrated:
            self.quantiser(torch.tensor([0.0, 255.0]))
        else:
            self.quantiser.scale.fill_(scale)
        self.apply(torch.ao.quantization.disable_observer)

    def forward(self, x):
        return self.quantiser(x)


def fake_quantisers(folder):
    sample = torch.rand(2, 3)
    torch.jit.trace(FakeQuantises(), sample).save(folder / "not_calibrated.pt")
    torch.jit.script(FakeQuantises()).save(folder / "not_calibrated_scripted.pt")
    torch.jit.trace(FakeQuantises(scale=0.5), sample).save(folder / "scale_by_hand.pt")
    torch.jit.trace(FakeQuantises(is_calibrated=True), sample).save(folder / "calibrated_to_one.pt")


def write_all(folder):
    fake_quantisers(folder)
    table_of_half_bytes(folder / "half_bytes.pt")
    for model in MODELS:
        torch.jit.script(model().eval()).save(folder / f"{model.__name__}.pt")
    torch.jit.script(UpsamplesInHalf(seed=6)).save(folder / "upsamples_otherwise.pt")
    torch.jit.script(HasMethods()).save(folder / "methods.pt")
    torch.jit.script(LeavesInputsUnused()).save(folder / "unused_inputs.pt")
    torch.jit.script(Translator()).save(folder / "translator.pt")
    traced_methods(folder / "traced_methods.pt")
    language_models(folder)
    constant = torch.jit.trace(WritesConstant(), torch.ones(2, 3), check_trace=False)
    constant.save(folder / "WritesConstant.pt")
