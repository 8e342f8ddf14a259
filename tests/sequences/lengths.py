# SPDX-License-Identifier: Apache-2.0
"""Models with packed sequences, traced and scripted: each is exported once, run at other lengths, and
compared with torch. Usage: lengths.py --program PROGRAM [WORD]"""

import pathlib
import sys

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "values"))
from compare import Case, main

BATCH, STEPS, INPUT, HIDDEN, TOKENS = 3, 6, 3, 4, 11
# The first is that of the sample.
LENGTHS = [[4, 6, 2], [1, 1, 1], [6, 6, 6], [3, 1, 5], [2, 5, 2]]


class Tagger(nn.Module):
    """Scores for each step."""

    def __init__(self, layer, batch_first=True, is_sorted=False, has_total=False, padding=0.0, **options):
        super().__init__()
        self.batch_first, self.is_sorted = batch_first, is_sorted
        self.has_total, self.padding = has_total, padding
        self.layer = getattr(nn, layer)(INPUT, HIDDEN, batch_first=batch_first, **options)
        width = options.get("proj_size", 0) or HIDDEN
        self.head = nn.Linear(width * (2 if options.get("bidirectional") else 1), 2)

    def forward(self, x: Tensor, lengths: Tensor):
        packed = pack_padded_sequence(x, lengths, self.batch_first, self.is_sorted)
        y, _state = self.layer(packed)
        if self.has_total:
            out, count = pad_packed_sequence(y, self.batch_first, self.padding, x.size(1 if self.batch_first else 0))
        else:
            out, count = pad_packed_sequence(y, self.batch_first, self.padding)
        return self.head(out), out, count


class Encoder(nn.Module):
    """The last states of both directions, as a classifier takes them."""

    def __init__(self, is_sorted=False):
        super().__init__()
        self.layer = nn.LSTM(INPUT, HIDDEN, 2, batch_first=True, bidirectional=True)
        self.is_sorted = is_sorted

    def forward(self, x: Tensor, lengths: Tensor):
        _y, (h, c) = self.layer(pack_padded_sequence(x, lengths, True, self.is_sorted))
        return torch.cat([h[-2], h[-1]], 1), c


class States(nn.Module):
    """Initial states from outside."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(INPUT, HIDDEN, batch_first=True, bidirectional=True)

    def forward(self, x: Tensor, lengths: Tensor, h: Tensor):
        y, last = self.layer(pack_padded_sequence(x, lengths, True, False), h)
        out, _count = pad_packed_sequence(y, True)
        return out, last


class Stack(nn.Module):
    """Packed data goes through one layer after the other, and through linear ones as it is."""

    def __init__(self):
        super().__init__()
        self.before = nn.Linear(INPUT, INPUT)
        self.first = nn.GRU(INPUT, HIDDEN, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(2 * HIDDEN, HIDDEN, batch_first=True)
        self.after = nn.Linear(HIDDEN, 2)

    def forward(self, x: Tensor, lengths: Tensor):
        p = pack_padded_sequence(x, lengths, True, False)
        data = torch.tanh(self.before(p.data))
        y, _h = self.first(PackedSequence(data, p.batch_sizes, p.sorted_indices, p.unsorted_indices))
        z, _state = self.second(y)
        scores = PackedSequence(self.after(z.data), z.batch_sizes, z.sorted_indices, z.unsorted_indices)
        return pad_packed_sequence(scores, True, -1.0)[0]


class Tokens(nn.Module):
    """Lengths are counted in the model: 0 is no token. Attention over what is padded again."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, INPUT, padding_idx=0)
        self.layer = nn.LSTM(INPUT, HIDDEN, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * HIDDEN, 1)

    def forward(self, ids: Tensor):
        lengths = (ids != 0).sum(1)
        y, _state = self.layer(pack_padded_sequence(self.embedding(ids), lengths, True, False))
        out, count = pad_packed_sequence(y, True)
        is_there = torch.arange(out.size(1)).unsqueeze(0) < count.unsqueeze(1)
        weights = self.score(out).squeeze(2).masked_fill(~is_there, float("-inf")).softmax(1)
        return (weights.unsqueeze(2) * out).sum(1)


def lengths_of(is_sorted):
    return [torch.tensor(sorted(each, reverse=True) if is_sorted else each) for each in LENGTHS]


def sequences(is_sorted=False, batch_first=True):
    generator = torch.Generator().manual_seed(1)
    shape = (BATCH, STEPS, INPUT) if batch_first else (STEPS, BATCH, INPUT)
    return [(torch.randn(shape, generator=generator), each) for each in lengths_of(is_sorted)]


def with_states():
    generator = torch.Generator().manual_seed(2)
    return [(*each, torch.randn(2, BATCH, HIDDEN, generator=generator)) for each in sequences()]


def tokens():
    generator = torch.Generator().manual_seed(3)
    draw = lambda: torch.randint(1, TOKENS, (BATCH, STEPS), generator=generator)
    return [(draw() * (torch.arange(STEPS)[None] < each[:, None]),) for each in lengths_of(False)]


def other_sizes():
    """Of a model whose batch and time are open."""
    generator = torch.Generator().manual_seed(4)
    out = sequences()
    for lengths, steps in [([9, 1, 7, 3, 9], 9), ([2], 2), ([1, 1], 1), ([3, 5], 8)]:
        out.append((torch.randn(len(lengths), steps, INPUT, generator=generator), torch.tensor(lengths)))
    return out


OPEN = ["--dynamic", "x:0=B", "--dynamic", "x:1=T", "--dynamic", "input_1:0=B"]


def models():
    """By name: module, inputs of each run, further options."""
    out = {}
    for layer in ("LSTM", "GRU", "RNN"):
        for both in (False, True):
            name = f"{layer} {'both ways' if both else 'one way'}"
            out[name] = (Tagger(layer, bidirectional=both), sequences(), [])
            out[name + ", sorted"] = (Tagger(layer, is_sorted=True, bidirectional=both), sequences(True), [])
    out["relu, time first"] = (Tagger("RNN", False, nonlinearity="relu"), sequences(batch_first=False), [])
    out["projected, two layers"] = (Tagger("LSTM", proj_size=2, num_layers=2, bidirectional=True), sequences(), [])
    out["no biases, dropout"] = (Tagger("GRU", bias=False, num_layers=2, dropout=0.5), sequences(), [])
    out["total length"] = (Tagger("LSTM", has_total=True, padding=-1.5, bidirectional=True), sequences(), [])
    out["total length, older tract"] = (Tagger("GRU", has_total=True), sequences(), ["-t", "tract@0.21.13"])
    out["total length, strict"] = (Tagger("LSTM", has_total=True), sequences(), ["-t", "khronos"])
    out["open sizes"] = (Tagger("LSTM", padding=0.5, bidirectional=True), other_sizes(), OPEN)
    out["open sizes, total length"] = (Tagger("GRU", has_total=True), other_sizes(), OPEN)
    out["last states"] = (Encoder(), sequences(), [])
    out["last states, sorted"] = (Encoder(True), sequences(True), [])
    out["given states"] = (States(), with_states(), [])
    out["packed data"] = (Stack(), sequences(), [])
    out["tokens"] = (Tokens(), tokens(), [])
    return out


if __name__ == "__main__":
    sys.exit(main(__doc__, lambda: {name: Case(*case) for name, case in models().items()}))
