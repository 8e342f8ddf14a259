# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["m", "bool", [4]]]
# WRONG: input 0 : output 0: differs by 3 where the largest value is 4
# mode: script  dynamic: 0  seed: 602134  data: 0
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
    def forward(self, x: Tensor, y: Tensor, m: Tensor):
        t1 = m[..., 0].clamp(min=len(x))
        a2 = Acc()
        return t1 / max(sum(a2.v), 1)
# SPDX-License-Identifier: Apache-2.0
