# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths in one batch: packed for recurrent layers, or masked by lengths that are an input."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from road import BOTH, SCRIPTED, Road

WORDS = 50
SIZES = ((3, 9), (3, 9), (1, 4), (5, 20), (2, 9))  # of batches


def generator(seed):
    return torch.Generator().manual_seed(seed)


def lengths_of(batch, most, seed, sort):
    lengths = torch.randint(1, most + 1, (batch,), generator=generator(seed))
    lengths[seed % batch] = most if seed != 1 else most - 2  # once nothing is as long as the batch is wide
    return lengths.sort(descending=True)[0] if sort else lengths


def texts(sort):
    return [(torch.randint(1, WORDS, (batch, most), generator=generator(seed)), lengths_of(batch, most, seed, sort))
            for seed, (batch, most) in enumerate(SIZES)]


def sounds(width, scale=1):
    return [(torch.randn(batch, most * scale, width, generator=generator(seed)), scale * lengths_of(batch, most, seed, False))
            for seed, (batch, most) in enumerate(SIZES)]


def opened(*axes):
    return [word for axis in axes for word in ("--dynamic", axis)]


VARIED = "batches x steps " + ", ".join(f"{batch} x {most}" for batch, most in SIZES[1:]) + " of other lengths"
ON_TEXTS = opened("ids:0=B", "ids:1=T", "lengths:0=B")
ON_SOUNDS = opened("x:0=B", "x:1=T", "lengths:0=B")


class Tagger(nn.Module):
    """Huang et al. 2015, arXiv:1508.01991, without its field: a tag for each word."""

    def __init__(self, sort: bool):
        super().__init__()
        self.embed = nn.Embedding(WORDS, 12)
        self.rnn = nn.LSTM(12, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(16, 6)
        self.sort = sort

    def forward(self, ids: Tensor, lengths: Tensor):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=self.sort)
        x, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.head(x)


class Classifier(nn.Module):
    """The last state of a GRU in both directions, of sentences in any order."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, 12)
        self.rnn = nn.GRU(12, 8, bidirectional=True, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, ids: Tensor, lengths: Tensor):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        state = self.rnn(packed)[1]
        return self.head(torch.cat([state[0], state[1]], 1))


class CtcEncoder(nn.Module):
    """Graves and Jaitly 2014, with strided convolutions in front: log-probabilities and how many of them count."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(10, 12, 3, 2, 1), nn.ReLU())
        self.rnn = nn.GRU(12, 8, bidirectional=True, batch_first=True)
        self.head = nn.Linear(16, 7)

    def forward(self, x: Tensor, lengths: Tensor):
        x = self.front(x.transpose(1, 2)).transpose(1, 2)
        lengths = torch.div(lengths - 1, 2, rounding_mode="floor") + 1
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.head(y).log_softmax(-1), lengths


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor, padding: Tensor):
        q, k, v = self.project(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        weights = scores.masked_fill(padding[:, None, None, :], -1e9).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Conformer(nn.Module):
    """Gulati et al. 2020, arXiv:2005.08100, with the masks of torchaudio: as wide as the longest sequence."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.enter = nn.Linear(10, width)
        self.attention = Attention(width, 2)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.up = nn.Conv1d(width, 2 * width, 1)
        self.depth = nn.Conv1d(width, width, 5, padding=2, groups=width)
        self.batch = nn.BatchNorm1d(width)
        self.down = nn.Conv1d(width, width, 1)
        self.feed = nn.Sequential(nn.Linear(width, 32), nn.SiLU(), nn.Linear(32, width))
        self.head = nn.Linear(width, 7)

    def forward(self, x: Tensor, lengths: Tensor):
        longest = int(torch.max(lengths).item())
        padding = torch.arange(longest, dtype=lengths.dtype).expand(lengths.size(0), longest) >= lengths.unsqueeze(1)
        x = self.enter(x[:, :longest])
        x = x + self.attention(self.norms[0](x), padding)
        y = F.glu(self.up(self.norms[1](x).transpose(1, 2)), 1).masked_fill(padding.unsqueeze(1), 0.0)
        x = x + self.down(F.silu(self.batch(self.depth(y)))).transpose(1, 2)
        x = x + 0.5 * self.feed(self.norms[2](x))
        return self.head(x).log_softmax(-1), lengths


class Collapse(nn.Module):
    """A CTC encoder with its greedy decoder: the best letter of each frame, repetitions once, blanks left out."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(10, 12, 5, padding=2), nn.ReLU(), nn.Conv1d(12, 5, 1))

    def forward(self, x: Tensor):
        best = self.body(x)[0].argmax(0)
        letters, counts = torch.unique_consecutive(best, return_counts=True)
        spoken = letters != 0
        return letters[spoken], counts[spoken]


def tagger(sort):
    return lambda: Road(Tagger(sort), texts(sort), ON_TEXTS, BOTH, VARIED)


def collapse():
    runs = [(torch.randn(1, 10, most, generator=generator(most)),) for most in (20, 21, 3, 50, 1, 8)]
    return Road(Collapse(), runs, opened("x:2=T"), BOTH, "21, 3, 50, 1 and 8 frames, other numbers of letters")


SEQUENCES = {
    "bilstm_tagger_sorted": tagger(True),
    "bilstm_tagger": tagger(False),
    "gru_classifier": lambda: Road(Classifier(), texts(False), ON_TEXTS, BOTH, VARIED),
    "ctc_encoder": lambda: Road(CtcEncoder(), sounds(10, 2), ON_SOUNDS, BOTH, VARIED + ", twice as many frames"),
    "conformer_ctc": lambda: Road(Conformer(), sounds(10), ON_SOUNDS, SCRIPTED, VARIED),
    "ctc_greedy": collapse,
}
