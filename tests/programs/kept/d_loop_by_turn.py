# inputs: [["x", "f32", ["B", "T"]]]
# CRASH: exit 1: internal error: roll.cpp:57: a loop of 5 turns has the length size.x.1 + turn.0
# mode: script  dynamic: 1  seed: 602672  data: 0  sample: 6,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
class Acc:
    def __init__(self):
        self.v: List[float] = []
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        l1: List[int] = [1] * x.size(1)
        a2 = Acc()
        for i3 in range(len(l1)):
            l1.insert(x.size(1), sum([q4 * 2 for q4 in l1]))
        return x * l1[x.size(0)]
# SPDX-License-Identifier: Apache-2.0
