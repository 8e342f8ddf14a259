# inputs: [["x", "f32", ["B", 2, "T"]]]
# mode: trace  dynamic: 1  seed: 1  sample: 5,7,6
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor, nn
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.Conv1d(2,2,3,padding=1); self.b = nn.Conv1d(4,2,3,padding=1)
    def forward(self, x: Tensor):
        a = self.a(x)
        b = self.a(F.max_pool1d(a, 2))
        c = self.a(F.max_pool1d(b, 2))
        u = F.interpolate(c, size=b.size(2)) if False else F.interpolate(c, scale_factor=2.0)
        u = F.pad(u, [0, b.size(2) - u.size(2)])
        u = self.b(torch.cat([b, u], 1))
        u = F.interpolate(u, scale_factor=2.0)
        d = a.size(2) - u.size(2)
        u = F.pad(u, [d // 2, d - d // 2])
        return self.b(torch.cat([a, u], 1))
# SPDX-License-Identifier: Apache-2.0
