# a branch changes an element of a list that was there before
# inputs: [["x", "f32", [4, 3]], ["m", "bool", [4]]]
# mode: script  dynamic: 0  seed: 1  data: 1
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
from torch import Tensor
@torch.jit.script
class Box:
    def __init__(self, n: int, t: Tensor):
        self.n = n
        self.l: List[int] = [n]
        self.t = t
    def put(self, n: int):
        self.n = n
class M(torch.nn.Module):
    def forward(self, x: Tensor, m: Tensor):
        l: List[Box] = [Box(2, x.mean(0))]
        if bool(m.sum() > 1):
            l[0].put(0)
        return torch.tensor([l[0].n])
# SPDX-License-Identifier: Apache-2.0
