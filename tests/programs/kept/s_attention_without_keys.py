# inputs: [["x", "f32", [2, 5, 8]], ["z", "i64", [2]]]
# mode: script  dynamic: 0  seed: 1
"""Traced attention and encoder layers over sequences of padding alone: NaN in the outputs and the weights."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class A(torch.nn.Module):
    def __init__(self, weights: bool):
        super().__init__()
        self.a, self.w = torch.nn.MultiheadAttention(8, 2, batch_first=True), weights
        self.l = torch.nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
    def forward(self, x, m):
        y, w = self.a(x, x, x, key_padding_mask=m, need_weights=self.w)
        z = self.l(x, src_key_padding_mask=m)
        return torch.cat([y, z, w if self.w else y], -1)
def traced(weights: bool):
    torch.manual_seed(0)
    with torch.no_grad():
        return torch.jit.trace(A(weights).eval(), (torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)), check_trace=False)
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = traced(False), traced(True)
    def forward(self, x: Tensor, z: Tensor):
        m = torch.arange(5)[None] >= z[:, None]
        return torch.isnan(self.a(x, m)).float(), torch.isnan(self.b(x, m)).float()
# SPDX-License-Identifier: Apache-2.0
