# inputs: [["x", "f32", ["B", 2, "T"]]]
# NORUN: load: no answer within 30 s
# mode: script  dynamic: 1  seed: 9401406  data: 0  sample: 2,12,8  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class Block0(nn.Module):
    def __init__(self):
        super().__init__()
        self.m1 = nn.LayerNorm(2)
    def forward(self, x: Tensor):
        v1 = self.m1(x.transpose(1, 2)).transpose(1, 2)
        v2 = F.elu(v1)
        return x + v2
class Block4(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x: Tensor):
        v5 = x.flip(2)
        v6 = (v5 - v5.mean(-1, keepdim=True)) / (v5.var(-1, keepdim=True, unbiased=False) + 1e-3).sqrt()
        return x + v6
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(69)
        self.b3 = nn.ModuleList([Block0(), Block0()])
        self.b7 = Block4()
        self.m3 = nn.GroupNorm(1, 2)
        self.m4 = nn.GroupNorm(2, 2)
        for p in list(self.parameters()) + list(self.buffers()):
            if p.is_floating_point():
                p.add_((torch.rand_like(p) - 0.5) / 4)
    def forward(self, x: Tensor):
        v3 = x
        for layer in self.b3:
            v3 = layer(v3)
        v4 = F.mish(v3)
        v7 = self.b7(self.b7(v4))
        v8 = self.m3(v7)
        v9 = self.m4(v8)
        return v9
# SPDX-License-Identifier: Apache-2.0
