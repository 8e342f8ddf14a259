# inputs: [["x", "f32", ["B", 4, "T"]]]
# NORUN: load: Pulling a Downsample over a Reshape: Invalid axis
# mode: script  dynamic: 1  seed: 31002957  data: 0  sample: 4,9,5  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn

class M(nn.Module):

    def __init__(self):
        super().__init__()
        self.m1 = nn.Linear(4, 6)
        self.m2 = nn.Conv1d(6, 2, 3, 2, 0, 2, bias=False, padding_mode='reflect')

    def forward(self, x: Tensor):
        v2 = self.m1(x.transpose(1, 2)).transpose(1, 2)
        v3 = self.m2(v2)
        v5 = v3
        v6 = v5.transpose(1, 2).transpose(1, 2)
        v7 = v6
        v8 = v7
        v11 = v8
        return v11
# SPDX-License-Identifier: Apache-2.0
