# inputs: [["x", "f32", ["B", "T", 8]], ["z", "i64", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""Scripted attention and an encoder layer over sequences of padding alone, with open axes."""
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
        self.l = torch.nn.TransformerEncoderLayer(8, 2, 8, batch_first=True).eval()
    def forward(self, x: Tensor, z: Tensor):
        m = torch.arange(x.size(1))[None] >= z[:, None]
        y = self.a(x, x, x, key_padding_mask=m, need_weights=False)[0]
        w = self.a(x, x, x, key_padding_mask=m)[0]
        return torch.isnan(y).float(), torch.isnan(w).float(), torch.isnan(self.l(x, src_key_padding_mask=m)).float()
# SPDX-License-Identifier: Apache-2.0
