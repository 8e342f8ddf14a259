# inputs: [["x", "f32", ["B", "T"]]]
# NORUN: load: TractError: opening file "FILE" <- Caused by: <- 0: running pass declutter <- 1: declutter node #17 "part_mul_2_last" Scan <- 2: declutter_body <- 3: in output_facts invocation for part_mul_2_last: Scan <- 4: inconsistent fact: body input 1 is B,T,F32 and body output 0 is B,T,F32 ◻️,F32 0 <- 0 |                   -> >1/0              | Const                     part_mul_2_last
# mode: script  dynamic: 1  seed: 5004791  data: 0  sample: 5,7
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class Part(torch.nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
    def forward(self, t: Tensor, n: int):
        l1: List[Tensor] = [t * q2 for q2 in range((2 if t.size(0) > 2 else 3))]
        return t * (l1[-1].size(0) - l1[-1].size(0))
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part(3)
    def forward(self, x: Tensor):
        for i1 in range(x.size(0)):
            x = self.part(x, (x.shape[-1] | 1))
        return x.flatten() * float(max(x.size(0), 2))
# SPDX-License-Identifier: Apache-2.0
