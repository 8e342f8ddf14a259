# inputs: [["x", "f32", [1, 6]]]
# tract loses the axes of a product of one row and one column that were joined
# mode: script  dynamic: 0  seed: 54005425  data: 0  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(93)
        self.m1 = nn.Linear(7, 8)
        for p in list(self.parameters()) + list(self.buffers()):
            if p.is_floating_point():
                p.add_((torch.rand_like(p) - 0.5) / 4)
    def forward(self, x: Tensor):
        v1 = torch.cat([x, x[:, :1]], 1)
        v4 = (self.m1(v1).view(v1.shape[0], 2, 4) * v1.view(v1.shape[0], 7, 1)[:, :2]).flatten(1)
        v5 = v4 @ v4.t() @ v4
        return v5
# SPDX-License-Identifier: Apache-2.0
