# inputs: [["x", "f32", [3, 3, "T", "S"]]]
# NORUN: tract splits the joined axis of one factor, and an axis of extent 1 of the other
# mode: trace  dynamic: 1  seed: 9300450  data: 0  sample: 2,16,16  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(90)
        self.m1 = nn.Parameter(torch.randn(3, 4))
        self.m2 = nn.Linear(3, 3, bias=False)
        for p in list(self.parameters()) + list(self.buffers()):
            if p.is_floating_point():
                p.add_((torch.rand_like(p) - 0.5) / 4)
    def forward(self, x: Tensor):
        v1 = x.permute(0, 2, 3, 1).flatten(0, 1)
        v2 = v1 @ self.m1
        v3 = self.m2(v1)
        v4 = (torch.ones(v3.size(1), v3.size(1)).tril().to(v3.dtype) / torch.arange(1, v3.size(1) + 1).to(v3.dtype)[:, None]) @ v3
        return v2, v4
# SPDX-License-Identifier: Apache-2.0
