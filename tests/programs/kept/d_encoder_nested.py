# inputs: [["x", "f32", ["B", "T", 8]], ["z", "i64", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""A traced encoder on nested tensors, with open axes."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class Enc(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 8, batch_first=True), 2, norm=torch.nn.LayerNorm(8))
    def forward(self, x, m):
        return self.a(x, src_key_padding_mask=m)
def traced():
    torch.manual_seed(0)
    m = torch.tensor([[False] * 5, [False, False, False, True, True]])
    with torch.no_grad():
        return torch.jit.trace(Enc().eval(), (torch.randn(2, 5, 8), m), check_trace=False)
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e = traced()
    def forward(self, x: Tensor, z: Tensor):
        return self.e(x, torch.arange(x.size(1))[None] >= z[:, None])
# SPDX-License-Identifier: Apache-2.0
