# inputs: [["x", "f32", ["B", 6, 8]], ["z", "i64", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""Scripted attention with a padding mask: it asks which of its operands are one tensor, and the file held for B >= 2 only."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
    def forward(self, x: Tensor, z: Tensor):
        return self.a(x, x, x, key_padding_mask=torch.arange(6)[None] > z[:, None] % 6, need_weights=False)[0]
# SPDX-License-Identifier: Apache-2.0
