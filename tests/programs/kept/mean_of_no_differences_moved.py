# SPDX-License-Identifier: Apache-2.0
# inputs: [["x", "f32", [2, "T", 6]]]
# NORUN: input 1 {'T': 1}: died: attempt to divide by zero
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 2,16,16  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(14)
        self.m1 = nn.GroupNorm(1, 6)
        self.m2 = nn.Conv1d(6, 2, 3, 1)
    def forward(self, x: Tensor):
        v1 = self.m1(x.transpose(1, 2)).transpose(1, 2)
        v2 = v1[:, 1:] - v1[:, :-1]
        v3 = torch.cat([v2.mean(1, keepdim=True), v2], 1)
        return self.m2(F.pad(v3.transpose(1, 2), [2, 0])).transpose(1, 2)
# SPDX-License-Identifier: Apache-2.0
