# inputs: [["x", "f32", ["B", "T", 4]], ["l", "i64", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""A bidirectional GRU over packed sequences of every other row: tract failed in every run (Undetermined symbol)."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.r = torch.nn.GRU(4, 3, batch_first=True, bidirectional=True)
    def forward(self, x: Tensor, l: Tensor):
        y = x[::2]
        n = (l[::2].abs() % x.size(1)) + 1
        p = torch.nn.utils.rnn.pack_padded_sequence(y, n, batch_first=True, enforce_sorted=False)
        o, h = self.r(p)
        return torch.nn.utils.rnn.pad_packed_sequence(o, batch_first=True, total_length=x.size(1))[0], h
# SPDX-License-Identifier: Apache-2.0
