# inputs: [["x", "f32", [2, "B"]]]
# CRASH: exit 1: internal error: roll.cpp:44: a loop of 6 turns has the length 6*size.x.1
# mode: script  dynamic: 1  seed: 3002174  data: 0  sample: 3,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        l1: List[int] = list(x.size())
        l1 *= l1[2:0:-1][0]
        l2: List[List[int]] = [l1, l1]
        if len(l1 + l1) not in l1:
            l1[0] += math.gcd(sum([q4 * 2 for q4 in l1]), 6)
        return x.roll(sum(l2[0]), 0)
# SPDX-License-Identifier: Apache-2.0
