# inputs: [["x", "f32", ["T", 7, 4]]]
# NORUN: load: no answer
# mode: trace  dynamic: 1  seed: 1  data: 0  sample: 4,9,5  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(55)
        self.m1 = nn.GRU(4, 4)
        self.m2 = nn.LSTM(4, 4)
        self.m3 = nn.Linear(4, 4)
        self.m4 = nn.Linear(4, 6)
        self.m5 = nn.Linear(8, 3)
    def forward(self, x: Tensor):
        v1 = self.m1(x)[0]
        v2 = self.m2(v1.transpose(0, 1))[0].transpose(0, 1)
        v3 = v1 + v2
        v4 = torch.cat([v1, v2], 2)
        return self.m3(v3), self.m4(v3), self.m5(v4), self.m5(v4.tanh())
# SPDX-License-Identifier: Apache-2.0
