# SPDX-License-Identifier: Apache-2.0
"""Models of the kinds that people stream, and what becomes of each: exact in pulses, or refused for a reason."""

import math

import torch
import torch.nn.functional as F
from torch import nn

MODELS = {}  # name: (class, shape with -1 for the stream, size of the pulses, reason of the refusal or "")


def model(shape, unit=1, refused="", integers=0):
    def add(kind):
        MODELS[kind.__name__] = (kind, shape, unit, refused, integers)
        return kind
    return add


class Causal(nn.Module):
    def __init__(self, channels, size, dilation):
        super().__init__()
        self.left = (size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, size, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.left, 0)))


class Block(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.a, self.b = Causal(channels, 3, dilation), Causal(channels, 3, dilation)
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        return F.relu(x + self.norm(self.b(F.relu(self.a(x)))))


@model([1, 4, -1])
class ConvStack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv1d(4, 8, 3, padding=1), nn.ReLU(), nn.Conv1d(8, 8, 5, padding=2), nn.ReLU(),
                                    nn.Conv1d(8, 4, 1))

    def forward(self, x):
        return self.layers(x)


@model([1, 4, -1])
class DilatedTcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*[Block(4, 2 ** i) for i in range(4)])

    def forward(self, x):
        return self.layers(x)


@model([1, 4, -1], unit=4)
class StridedEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(4, 6, 4, 2, 1), nn.Conv1d(6, 6, 5, 2, 2)

    def forward(self, x):
        return self.b(F.gelu(self.a(x)))


@model([1, -1, 6])
class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(6, 5, 2, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.out(self.lstm(x)[0])


@model([-1, 1, 6])
class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(6, 5, 2)

    def forward(self, x):
        return self.gru(x)[0]


@model([1, -1, 6])
class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(6, 5, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[0]


@model([1, -1, 6], refused="aten::lstm.input: loops backward from the end of the stream")
class Bidirectional(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 5, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.lstm(x)[0]


@model([1, -1, 6], refused="aten::lstm.input: reads the state after the last time step")
class LastState(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 5, batch_first=True)

    def forward(self, x):
        y, state = self.lstm(x)
        return y, state[0]


@model([1, 10, -1], unit=2)
class KeywordSpotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv1d(10, 8, 5, 2, 2), nn.BatchNorm1d(8)
        self.gru, self.out = nn.GRU(8, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x):
        y = self.norm(self.conv(x)).relu().transpose(1, 2)
        return self.out(self.gru(y)[0]).log_softmax(-1)


@model([1, 1, -1, 8], unit=4)
class PicturesAndGru(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, 4, 3, 2, 1), nn.Conv2d(4, 4, 3, 2, 1)
        self.gru = nn.GRU(8, 5, batch_first=True)

    def forward(self, x):
        y = self.b(self.a(x).relu()).relu()
        b, c, t, f = y.size()
        return self.gru(y.permute(0, 2, 1, 3).reshape(b, t, c * f))[0]


@model([1, -1], unit=16)
class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))

    def forward(self, x):
        return torch.stft(x, 32, 16, 32, self.window, center=False, return_complex=True).abs()


@model([1, -1], unit=10)
class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.register_buffer("mel", torch.rand(6, 17))

    def forward(self, x):
        power = torch.stft(x, 32, 10, 32, self.window, center=False, return_complex=True).abs().square()
        return torch.log(torch.matmul(self.mel, power) + 1e-6)


@model([1, -1], unit=16, refused="aten::pad: pads by reflection along the stream")
class CentredSpectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))

    def forward(self, x):
        return torch.stft(x, 32, 16, 32, self.window, center=True, return_complex=True).abs()


@model([1, 4, -1], unit=2)
class Pools(nn.Module):
    def forward(self, x):
        return F.avg_pool1d(F.max_pool1d(x, 3, 2, 1), 3, 1, 1)


@model([1, -1, 4], unit=3)
class FrameStacking(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(12, 5)

    def forward(self, x):
        b, t, f = x.size()
        return self.out(x[:, :t // 3 * 3].reshape(b, t // 3, f * 3))


@model([1, -1, 4])
class Splicing(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(12, 5)

    def forward(self, x):
        return self.out(torch.cat([x[:, :-2], x[:, 1:-1], x[:, 2:]], 2))


@model([1, 1, -1], unit=4)
class TasNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 8, 8, 4, bias=False)
        self.mask = nn.Sequential(*[Block(8, 2 ** i) for i in range(2)])
        self.decoder = nn.ConvTranspose1d(8, 1, 8, 4, bias=False)

    def forward(self, x):
        w = self.encoder(x).relu()
        return self.decoder(w * torch.sigmoid(self.mask(w)))


@model([1, 1, -1], unit=20)
class WaveEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(1, 6, 10, 5, bias=False), nn.Conv1d(6, 6, 3, 2, bias=False),
                                     nn.Conv1d(6, 6, 2, 2, bias=False)])
        self.norm = nn.LayerNorm(6)

    def forward(self, x):
        for layer in self.layers:
            x = F.gelu(self.norm(layer(x).transpose(1, 2)).transpose(1, 2))
        return x


@model([1, 6, -1])
class ConformerConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Conv1d(6, 12, 1), nn.Conv1d(6, 6, 1)
        self.depthwise, self.norm = nn.Conv1d(6, 6, 7, groups=6, padding=3), nn.BatchNorm1d(6)

    def forward(self, x):
        return x + self.down(F.silu(self.norm(self.depthwise(F.glu(self.up(x), 1)))))


@model([1, -1], integers=20)
class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.lstm, self.norm = nn.Embedding(20, 6), nn.LSTM(6, 5, batch_first=True), nn.LayerNorm(5)

    def forward(self, ids):
        return self.norm(self.lstm(self.table(ids))[0])


@model([1, 4, -1])
class Upsampling(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(4, 4, 3), nn.Conv1d(4, 4, 3, padding=1)

    def forward(self, x):
        return self.b(F.interpolate(self.a(x), scale_factor=2.0, mode="nearest"))


@model([1, 4, -1])
class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(4, 4, 7, padding=3), nn.Conv1d(3, 1, 7, padding=3)
        self.up = nn.ConvTranspose1d(4, 3, 8, 4, 2)

    def forward(self, x):
        return self.b(F.leaky_relu(self.up(F.leaky_relu(self.a(x))))).tanh()


@model([1, 4, -1])
class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.gru = nn.Conv1d(4, 4, 5, padding=2), nn.Conv1d(4, 4, 9, padding=4), nn.GRU(8, 4)

    def forward(self, x):
        y = self.a(x)
        return self.gru(torch.cat([y, self.b(y)], 1).permute(2, 0, 1))[0]


@model([1, 4, -1], unit=2)
class TwoRates(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(4, 4, 3, padding=1), nn.Conv1d(4, 4, 4, 2, 1)

    def forward(self, x):
        y = self.a(x)
        return y, self.b(y)


@model([1, -1, 4])
class Loop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 5)

    def forward(self, x):
        h = torch.zeros(1, 5)
        out = []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            out.append(h)
        return torch.stack(out, 1)


@model([1, -1, 4])
class RunningMean(nn.Module):
    def forward(self, x):
        return x.cumsum(1) / torch.arange(1, x.size(1) + 1).view(1, -1, 1)


@model([1, -1, 4])
class SinePositions(nn.Module):
    def forward(self, x):
        return x + torch.sin(torch.arange(x.size(1)) * 0.1).view(1, -1, 1)


@model([1, -1, 4], refused="aten::slice.Tensor: slices a table to the input length")
class TableOfPositions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(1, 500, 4))

    def forward(self, x):
        return x + self.table[:, :x.size(1)]


@model([1, 4, -1], refused="aten::instance_norm: reduces over the entire stream")
class InstanceNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(4)

    def forward(self, x):
        return self.norm(x)


@model([1, -1, 4], refused="aten::mean.dim: reduces over the entire stream")
class MeanOfAll(nn.Module):
    def forward(self, x):
        return x - x.mean(1, keepdim=True)


@model([1, -1, 4], refused="aten::div.Scalar: uses the total input length")
class Length(nn.Module):
    def forward(self, x):
        return x / x.size(1)


@model([1, -1, 4], refused="aten::flip: uses the total input length")
class Reversed(nn.Module):
    def forward(self, x):
        return x.flip(1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        b, t, d = x.size()
        q, k, v = self.heads(x).view(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4).unbind(0)
        i, j = torch.arange(t).unsqueeze(1), torch.arange(t).unsqueeze(0)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d // 2)
        weights = scores.masked_fill(~((j <= i) & (j > i - 8)), float("-inf")).softmax(-1)
        return self.out(torch.matmul(weights, v).transpose(1, 2).reshape(b, t, d))


MODELS["LimitedAttention"] = (Attention, [1, -1, 8], 4, "builds a time × time matrix", 0)
