# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["B", "T"]]]
# WRONG: input 2 {'B': 2, 'T': 3}: output 0: differs by 88.8 where the largest value is 0
# mode: script  dynamic: 1  seed: 700586  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        w1 = 0
        while w1 < 5 and y.size(0) > 2:
            w1 += 1
            x = x + y
        return x * torch.tensor([w1])
# SPDX-License-Identifier: Apache-2.0
