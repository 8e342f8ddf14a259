# SPDX-License-Identifier: Apache-2.0
"""Networks that hear or speak while sound comes in: in the engine's pulses, or with states that each call returns."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from audio import WaveNet
from road import BOTH, TRACED, Called, Road, Streamed


class Causal(nn.Module):
    """A convolution that sees the past only."""

    def __init__(self, inputs: int, outputs: int, size: int, dilation: int = 1, groups: int = 1):
        super().__init__()
        self.before = (size - 1) * dilation
        self.conv = nn.Conv1d(inputs, outputs, size, dilation=dilation, groups=groups)

    def forward(self, x: Tensor):
        return self.conv(F.pad(x, [self.before, 0]))


class TemporalBlock(nn.Module):
    """Bai et al. 2018, arXiv:1803.01271."""

    def __init__(self, inputs: int, outputs: int, dilation: int):
        super().__init__()
        self.body = nn.Sequential(Causal(inputs, outputs, 3, dilation), nn.ReLU(), nn.Dropout(0.2),
                                  Causal(outputs, outputs, 3, dilation), nn.ReLU(), nn.Dropout(0.2))
        self.skip = nn.Conv1d(inputs, outputs, 1)

    def forward(self, x: Tensor):
        return F.relu(self.body(x) + self.skip(x))


class Tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[TemporalBlock(a, 16, 2**i) for i, a in enumerate((6, 16, 16, 16))])
        self.head = nn.Conv1d(16, 4, 1)

    def forward(self, x: Tensor):
        return self.head(self.blocks(x))


class CumulativeNorm(nn.Module):
    """cLN of Conv-TasNet: over channels and all moments up to now."""

    def __init__(self, channels: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1))

    def forward(self, x: Tensor):
        count = torch.arange(1, x.size(2) + 1, dtype=x.dtype) * x.size(1)
        total = x.sum(1, keepdim=True).cumsum(2)
        power = (x * x).sum(1, keepdim=True).cumsum(2)
        mean = total / count
        variance = power / count - mean * mean
        return self.gain * (x - mean) / (variance + 1e-4).sqrt() + self.bias


class CausalTasNet(nn.Module):
    """Luo and Mesgarani 2018, arXiv:1809.07454, in its causal form."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 16, 8, 4, bias=False)
        self.norm, self.narrow = CumulativeNorm(16), nn.Conv1d(16, 12, 1)
        self.blocks = nn.ModuleList([
            nn.Sequential(nn.Conv1d(12, 24, 1), nn.PReLU(), CumulativeNorm(24), Causal(24, 24, 3, 2**i, 24), nn.PReLU(),
                          nn.Conv1d(24, 12, 1)) for i in range(3)])
        self.masks = nn.Conv1d(12, 32, 1)
        self.decoder = nn.ConvTranspose1d(16, 1, 8, 4, bias=False)

    def forward(self, x: Tensor):
        encoded = F.relu(self.encoder(x))
        y = self.narrow(self.norm(encoded))
        for block in self.blocks:
            y = y + block(y)
        first, second = torch.sigmoid(self.masks(y)).chunk(2, 1)
        return self.decoder(first * encoded), self.decoder(second * encoded)


class Transducer(nn.Module):
    """Graves 2012, arXiv:1211.3711, as He et al. 2018 stream it: frames stacked, layers of LSTM with projections."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(24, 20, num_layers=2, proj_size=12, batch_first=True)
        self.norm, self.head = nn.LayerNorm(12), nn.Linear(12, 9)

    def forward(self, x: Tensor):
        stacked = x.reshape(x.size(0), x.size(1) // 3, x.size(2) * 3)
        return self.head(self.norm(self.rnn(stacked)[0]))


def feed(width: int):
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 32), nn.SiLU(), nn.Linear(32, width))


class CausalConformer(nn.Module):
    """Gulati et al. 2020 with masks of limited context and causal convolutions, over a whole recording."""

    def __init__(self, width: int = 16, heads: int = 2, context: int = 6):
        super().__init__()
        self.heads, self.context = heads, context
        self.before, self.after = feed(width), feed(width)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.depth, self.down = nn.Conv1d(width, 2 * width, 1), Causal(width, width, 5, 1, width), nn.Conv1d(width, width, 1)

    def attention(self, x: Tensor):
        q, k, v = self.project(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        at = torch.arange(x.size(1))
        apart = at.unsqueeze(1) - at.unsqueeze(0)
        seen = (apart >= 0) & (apart < self.context)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))).masked_fill(~seen, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor):
        x = x + 0.5 * self.before(x)
        x = x + self.attention(self.norms[0](x))
        y = F.glu(self.up(self.norms[1](x).transpose(1, 2)), 1)
        x = x + self.down(F.silu(self.depth(y))).transpose(1, 2)
        return self.norms[2](x + 0.5 * self.after(x))


class CachedConformer(nn.Module):
    """The same piece by piece: keys, values and the convolution's past are inputs and outputs."""

    def __init__(self, width: int = 16, heads: int = 2, context: int = 8):
        super().__init__()
        self.heads, self.context = heads, context
        self.before, self.after = feed(width), feed(width)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.query, self.pair, self.out = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.up, self.depth, self.down = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 5, groups=width), nn.Conv1d(width, width, 1)

    def split(self, x: Tensor):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, past: Tensor, left: Tensor):
        x = x + 0.5 * self.before(x)
        y = self.norms[0](x)
        seen = torch.cat([past, y], 1)
        key, value = self.pair(seen).chunk(2, -1)
        at = torch.arange(seen.size(1))
        apart = at[past.size(1):].unsqueeze(1) - at.unsqueeze(0)
        scores = self.split(self.query(y)) @ self.split(key).transpose(-1, -2) / math.sqrt(8)
        scores = scores.masked_fill((apart < 0) | (apart > self.context), float("-inf"))
        x = x + self.out((scores.softmax(-1) @ self.split(value)).transpose(1, 2).flatten(2))
        y = torch.cat([left, F.glu(self.up(self.norms[1](x).transpose(1, 2)), 1)], 2)
        x = x + self.down(F.silu(self.depth(y))).transpose(1, 2)
        return self.norms[2](x + 0.5 * self.after(x)), seen[:, -self.context:], y[:, :, -4:]


class VoiceActivity(nn.Module):
    """In the manner of Silero's: a piece of sound, an LSTM whose states the caller keeps."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 16, 8), nn.ReLU(), nn.Conv1d(16, 16, 3, 2), nn.ReLU())
        self.rnn = nn.LSTM(16, 12, num_layers=2, batch_first=True)
        self.head = nn.Linear(12, 1)

    def forward(self, sound: Tensor, h: Tensor, c: Tensor):
        x, (h, c) = self.rnn(self.conv(sound.unsqueeze(1)).transpose(1, 2), (h, c))
        return torch.sigmoid(self.head(x)).squeeze(-1), h, c


def floats(*shape):
    return lambda length: (torch.randn(*[length if size == -1 else size for size in shape]),)


def wavenet():
    def samples(length):
        return (torch.randint(0, 256, (1, length)),)

    return Streamed(WaveNet(8, 16, 1), samples, ["--dynamic", "samples:1=S"], BOTH, 1, (1, 16, 50))


def conformer():
    runs = [(torch.randn(batch, frames, 16),) for batch, frames in ((1, 20), (1, 20), (2, 33), (3, 5), (1, 1))]
    return Road(CausalConformer(), runs, ["--dynamic", "x:0=B", "--dynamic", "x:1=T"], BOTH,
                "recordings x frames 1 x 20, 2 x 33, 3 x 5, 1 x 1")


def cached_conformer():
    pieces = [[4, 4, 4], [1] * 12, [7, 2, 5, 3, 16], [12]]
    calls = [[(torch.randn(1, size, 16),) for size in each] for each in pieces]
    sample = (torch.randn(1, 8, 16), torch.randn(1, 16, 4))
    begin = (torch.zeros(1, 8, 16), torch.zeros(1, 16, 4))
    return Called(CachedConformer(), calls, sample, begin, ["--dynamic", "x:1=S"], BOTH,
                  "pieces of " + "; ".join(", ".join(map(str, each)) for each in pieces))


def voice_activity():
    pieces = [[160, 160, 160], [80, 320, 48, 160], [1024, 64]]
    calls = [[(torch.randn(2, size),) for size in each] for each in pieces]
    states = tuple(torch.zeros(2, 2, 12) for _ in range(2))
    return Called(VoiceActivity(), calls, tuple(torch.randn(2, 2, 12) for _ in range(2)), states,
                  ["--dynamic", "sound:1=S"], BOTH, "pieces of " + "; ".join(", ".join(map(str, each)) for each in pieces))


STREAMS = {
    "tcn": lambda: Streamed(Tcn(), floats(1, 6, -1), ["--dynamic", "x:2=S"], BOTH, 1, (1, 5, 16)),
    "conv_tasnet_causal": lambda: Streamed(
        CausalTasNet(), floats(1, 1, -1), ["--dynamic", "x:2=S"], BOTH, 4, (1, 3, 8)),
    "wavenet": wavenet,
    "transducer_encoder": lambda: Streamed(
        Transducer(), floats(1, -1, 8), ["--dynamic", "x:1=3*S"], BOTH, 3, (1, 4, 9)),
    "conformer_causal": conformer,
    "conformer_cached": cached_conformer,
    "voice_activity": voice_activity,
}
