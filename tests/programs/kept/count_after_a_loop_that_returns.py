# inputs: [["x", "f32", [4, 3]], ["m", "bool", [4]]]
# mode: script  dynamic: 0  seed: 34000488  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
def helper(n: int, t: Tensor) -> int:
    d1: Dict[float, Tensor] = {float(t.sum().item()): t, int(t.argmax()) / 2: t.float()}
    for i2 in range(3):
        n += torch.repeat_interleave(t.flatten(), t.flatten().long().abs()).numel()
        if float(t.sum().item()) in d1:
            break
    return int((float(t.sum().item()) + list(d1.keys())[0]))
class Part(torch.nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
    def forward(self, t: Tensor, n: int):
        for i1 in range(torch.argwhere(t > 0).shape[0]):
            if t.dim() == 2:
                return t.sum(0, keepdim=n > i1)
        return t.sum(0, keepdim=n > n)
class Plain(torch.nn.Module):
    def forward(self, t: Tensor):
        t.t_()
        return t.view_as(t)
class M(torch.nn.Module):
    names: List[str]
    sizes: List[int]
    table: Dict[str, int]
    def __init__(self):
        super().__init__()
        self.k = 3
        self.last = 0
        self.w = 0.5
        self.flag = True
        self.names = ['a', 'b']
        self.sizes = [2, 3]
        self.table = {'a': 1, 'b': 4}
        self.register_buffer('buf', torch.tensor([1.0, 2.0, 3.0]))
        self.part = Part(3)
        self.parts = torch.nn.ModuleList([Part(1), Part(2)])
        self.plain = Plain()
    def count(self, t: Tensor, n: int) -> int:
        l1: List[float] = t.float().flatten().tolist()
        d3: Dict[int, Tensor] = {0: F.pad(t, [0, int(l1[::-1][0])]), 1: torch.ones_like(t) * int(l1[::-1][0]), 2: t}
        d4: Dict[str, int] = {'a': (t.size(0) - t.size(0)), 'b': len(l1)}
        if sum(list(d4.values())) in d3:
            return d4['a']
        for i6 in range(t.size(0)):
            for i7 in range((torch.masked_select(t, t > 0).size(0) << 1)):
                d4['a'] += d4.get('a', 2)
        return d4['a']
    def forward(self, x: Tensor, m: Tensor):
        t1 = x
        for i2, m3 in enumerate(self.parts):
            t1 = m3(t1, i2 + torch.unique(m).numel())
        return m * torch.tensor([-(-t1.nonzero().size(0) // 2)])
# SPDX-License-Identifier: Apache-2.0
