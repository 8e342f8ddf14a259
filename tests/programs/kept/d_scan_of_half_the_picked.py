# inputs: [["x", "f32", ["B", "T", 4]], ["m", "f32", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""A loop with a product over half of the rows that a mask picks: tract failed in every run (Undetermined symbol)."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Linear(4, 4)
    def forward(self, x: Tensor, m: Tensor):
        y = x[m > 0]
        y = y[y.size(0) // 2:]
        h = torch.zeros_like(y[:, 0])
        for t in range(y.size(1)):
            h = torch.tanh(self.c(h)) + y[:, t]
        return h
# SPDX-License-Identifier: Apache-2.0
