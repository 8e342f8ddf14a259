"""Models for the command-line tests that keep no state: write_all() writes them, and those that do."""

import torch
from torch import nn

import deep_models
import quantised_trials
import state_models as states


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


class BranchesOnTokens(nn.Module):
    """What transformers' attention does for one token and for several, or for empty caches, in a scripted model."""

    def __init__(self, on_cache: bool):
        super().__init__()
        self.on_cache = on_cache
        self.words = nn.Embedding(11, 8)

    def forward(self, ids, key, value):
        x = self.words(ids)
        keys, values = torch.cat([key, x], 1), torch.cat([value, x], 1)
        if self.on_cache:
            score = x @ keys.transpose(1, 2)
            if key.shape[1] == 0:
                score = score * 0.5
        else:
            score = x @ keys.transpose(1, 2) * (2.0 if ids.shape[1] > 1 else 0.5)
        return (x + torch.softmax(score, -1) @ values) @ self.words.weight.t(), keys, values


class TakesQuantised(nn.Module):
    """Its input is a quantised tensor, which no artefact takes."""

    def forward(self, q):
        return torch.ops.quantized.add(q, q, 0.1, 5).dequantize()


class NormsQuantised(nn.Module):
    """Rows of a quantised tensor, normalised: the other axes may be open."""

    def forward(self, x):
        q = torch.quantize_per_tensor(x, 0.05, 64, torch.quint8)
        return torch.ops.quantized.layer_norm(q, [6], None, None, 1e-5, 0.03, 60).dequantize()


def quantised_models(folder):
    torch.manual_seed(4)
    x = torch.randn(4, 5, 6)
    q = torch.quantize_per_tensor(x, 0.05, 64, torch.quint8)
    torch.jit.trace(TakesQuantised(), q, check_trace=False).save(folder / "takes_quantised.pt")
    torch.jit.trace(NormsQuantised(), x).save(folder / "norms_quantised.pt")


def language_models(folder):
    torch.manual_seed(3)
    ids, cache = torch.tensor([[1, 2, 3]]), torch.randn(1, 4, 8)
    for kind in ["plain", "reads_cache", "behind", "fixed", "one_back"]:
        model = torch.jit.trace(CachedWords(kind).eval(), (ids, cache, cache + 1), check_trace=False)
        model.save(folder / f"words_{kind}.pt")
    for name, on_cache in [("tokens", False), ("cache", True)]:
        model = torch.jit.script(BranchesOnTokens(on_cache).eval())
        model.save(folder / f"words_branch_{name}.pt")
    short = CachedWords("plain").eval()
    torch.jit.trace(short, (ids.int(), cache, cache + 1), check_trace=False).save(folder / "words_i32.pt")


class PicksPositive(nn.Module):
    """Nothing is the largest of none: the file demands one or more."""

    def forward(self, x):
        picked = x[x > 0]
        return picked, picked.max()


class PicksIfAny(nn.Module):
    """The branch goes round what would fail: the file, in which it is baked in, fails there."""

    def forward(self, x):
        picked = x[x > 0]
        out = x.sum()
        if picked.size(0) > 0:
            out = out + torch.aminmax(picked)[1]
        return out


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
    states.Accumulator,
    states.Counter,
    states.ConvInPieces,
    states.RunningLevel,
    states.Writer,
    states.PlainValues,
    states.Growing,
    states.GrowingCache,
    states.Scratch,
    states.SharedMemory,
    states.Clash,
    states.LstmStep,
    states.LstmInside,
    states.CacheOfPairs,
    states.CacheAsDictionary,
    states.CacheInside,
    states.StreamingConv,
    states.RunningStatistics,
    states.DelayLine,
    states.TrainingNorm,
    states.MadeOnDemand,
    states.KeepsTheFirst,
    states.WakesUp,
    Thirds,
    Fifths,
    MultipliesIntegers,
    MissingInLoop,
    FoldsAway,
    PicksPositive,
    PicksIfAny,
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


class TakesState(nn.Module):
    """A recurrent layer whose state is the caller's."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x, h, c):
        y, (h, c) = self.cell(x, (h, c))
        return y, h, c


class Normalises(nn.Module):
    """With statistics that training mode changes."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)


def write_all(folder):
    deep_models.write_all(folder)
    quantised_trials.write_all(folder)
    torch.manual_seed(5)
    state = torch.zeros(1, 2, 4)
    torch.jit.trace(TakesState().eval(), (torch.randn(2, 6, 3), state, state)).save(folder / "takes_state.pt")
    torch.jit.trace(Normalises().train(), torch.randn(4, 3), check_trace=False).save(folder / "traced_in_training.pt")
    torch.save(torch.ones(2, 3), folder / "saved_tensor.pt")
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
    quantised_models(folder)
    constant = torch.jit.trace(states.WritesConstant(), torch.ones(2, 3), check_trace=False)
    constant.save(folder / "WritesConstant.pt")
# SPDX-License-Identifier: Apache-2.0
