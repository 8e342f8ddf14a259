# SPDX-License-Identifier: Apache-2.0
"""Keyword spotters: convolutions over a whole recording of any length, and recurrent ones that hear it piece by piece."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from audio import tc_resnet8
from road import BOTH, Road, Streamed

BANDS = 20
SIZES = ((1, 49), (1, 49), (3, 98), (2, 30), (1, 121))
VARIED = "recordings x frames " + ", ".join(f"{batch} x {frames}" for batch, frames in SIZES[1:])


def recordings(bands=BANDS):
    return [(torch.randn(batch, bands, frames, generator=torch.Generator().manual_seed(seed)),)
            for seed, (batch, frames) in enumerate(SIZES)]


class DepthwiseSeparable(nn.Module):
    """Zhang et al. 2017, arXiv:1711.07128: DS-CNN."""

    def __init__(self):
        super().__init__()
        def both(k, s, groups, outputs):
            return [nn.Conv2d(16 if groups > 1 or outputs else 1, 16, k, s, k // 2, groups=groups, bias=False),
                    nn.BatchNorm2d(16), nn.ReLU()]

        layers = [nn.Conv2d(1, 16, (4, 10), 2, (1, 4), bias=False), nn.BatchNorm2d(16), nn.ReLU()]
        for _ in range(3):
            layers += both(3, 1, 16, 16) + both(1, 1, 1, 16)
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(16, 12)

    def forward(self, features: Tensor):
        return self.head(self.body(features.unsqueeze(1)).mean((2, 3)))


class MatchboxBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, kernel: int):
        super().__init__()
        def separable(a, b):
            return [nn.Conv1d(a, a, kernel, padding=kernel // 2, groups=a, bias=False), nn.Conv1d(a, b, 1, bias=False),
                    nn.BatchNorm1d(b)]

        self.body = nn.Sequential(*separable(inputs, outputs), nn.ReLU(), nn.Dropout(0.1), *separable(outputs, outputs))
        self.skip = nn.Sequential(nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs))

    def forward(self, x: Tensor):
        return F.relu(self.body(x) + self.skip(x))


class Matchbox(nn.Module):
    """Majumdar and Ginsburg 2020, arXiv:2004.08531."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(BANDS, 32, 11, 2, 5), nn.BatchNorm1d(32), nn.ReLU(), MatchboxBlock(32, 24, 13), MatchboxBlock(24, 24, 15),
            nn.Conv1d(24, 32, 29, padding=28, dilation=2), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 12, 1))

    def forward(self, features: Tensor):
        return F.adaptive_avg_pool1d(self.body(features), 1).squeeze(-1).log_softmax(-1)


class Broadcast(nn.Module):
    """Kim et al. 2021, arXiv:2106.04140: residuals of time, spread over frequency."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 16, 5, (2, 1), 2)
        self.frequency = nn.Sequential(nn.Conv2d(16, 16, (3, 1), padding=(1, 0), groups=16), nn.BatchNorm2d(16))
        self.time = nn.Sequential(
            nn.Conv2d(16, 16, (1, 3), padding=(0, 2), dilation=(1, 2), groups=16), nn.BatchNorm2d(16), nn.SiLU(),
            nn.Conv2d(16, 16, 1))
        self.head = nn.Conv2d(16, 12, 1)

    def forward(self, features: Tensor):
        x = self.first(features.unsqueeze(1))
        y = self.frequency(x)
        x = F.relu(x + y + self.time(y.mean(2, keepdim=True)))
        return self.head(x.mean((2, 3), keepdim=True)).flatten(1)


class Crnn(nn.Module):
    """Arik et al. 2017, arXiv:1703.05390, with one direction, so that it can listen: words at every step."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(BANDS, 24, 5, 2, 2), nn.BatchNorm1d(24), nn.ReLU())
        self.rnn = nn.GRU(24, 16, num_layers=2, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, features: Tensor):
        return self.head(self.rnn(self.conv(features).transpose(1, 2))[0]).log_softmax(-1)


class Filters(nn.Module):
    """Nakkiran et al. 2015: layers of rank one, a filter over frequency and one over time."""

    def __init__(self):
        super().__init__()
        self.frequency = nn.ModuleList([nn.Conv1d(a, 24, 1, bias=False) for a in (BANDS, 24)])
        self.time = nn.ModuleList([nn.Conv1d(24, 24, 8, groups=24) for _ in range(2)])
        self.head = nn.Linear(24, 4)

    def forward(self, features: Tensor):
        x = features
        for frequency, time in zip(self.frequency, self.time):
            x = F.relu(time(F.pad(frequency(x), [7, 0])))
        return self.head(x.transpose(1, 2))


class LastWord(nn.Module):
    """A recurrent spotter that speaks once, behind the whole recording."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(BANDS, 16, num_layers=2, batch_first=True)
        self.head = nn.Linear(16, 12)

    def forward(self, features: Tensor):
        return self.head(self.rnn(features.transpose(1, 2))[0][:, -1])


def whole(make, bands=BANDS, name="features"):
    return lambda: Road(make(), recordings(bands), ["--dynamic", f"{name}:0=B", "--dynamic", f"{name}:2=T"], BOTH, VARIED)


def heard(make, multiple, pulses):
    return lambda: Streamed(make(), lambda length: (torch.randn(1, BANDS, length),), ["--dynamic", "features:2=S"], BOTH,
                            multiple, pulses)


KEYWORDS = {
    "ds_cnn": whole(DepthwiseSeparable),
    "tc_resnet8": whole(lambda: tc_resnet8().model, 40, "input"),
    "matchboxnet": whole(Matchbox),
    "bc_resnet": whole(Broadcast),
    "lstm_spotter": whole(LastWord),
    "crnn_streamed": heard(Crnn, 2, (1, 4, 7)),
    "svdf_streamed": heard(Filters, 1, (1, 3, 10)),
}
