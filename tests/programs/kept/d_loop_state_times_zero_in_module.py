# inputs: [["x", "f32", ["B", "T"]]]
# NORUN: load: TractError: opening file "FILE" <- Caused by: <- 0: running pass declutter <- 1: declutter node #17 "part_mul_2_last" Scan <- 2: declutter_body <- 3: in output_facts invocation for part_mul_2_last: Scan <- 4: inconsistent fact: body input 1 is B,T,F32 and body output 0 is B,T,F32 ◻️,F32 0 <- 0 |                   -> >1/0              | Const                     part_mul_2_last
# mode: script  dynamic: 1  seed: 5004791  data: 0  sample: 5,7
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
def helper(n: int, t: Tensor) -> int:
    l1: List[int] = t.shape[:2]
    a2, b3 = l1
    l4: List[int] = l1
    d5: Dict[str, int] = {str(l4): t.numel(), 'a': l4[2:0:-1][0]}
    return b3
class Part(torch.nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
    def forward(self, t: Tensor, n: int):
        l1: List[Tensor] = [t * q2 for q2 in range((2 if t.size(0) > 2 else 3))]
        return t * (l1[-1].size(0) - l1[-1].size(0))
class Plain(torch.nn.Module):
    def forward(self, t: Tensor):
        v1 = t[::2]
        return v1
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
        self.plain = torch.jit.script(Plain())
    def count(self, t: Tensor, n: int) -> int:
        d1: Dict[int, int] = {abs(t.size(0) - 6): min(t.size(0), 5), 7: t.size(0)}
        d2: Dict[str, float] = {'a': float(t.size(0) == t.size(-1))}
        d3: Dict[int, int] = {(t.size(0) // 2): ((t.size(0) // 2) & 3), t.shape[-1]: t.size(1)}
        return d3[list(d3.keys())[0]]
    def forward(self, x: Tensor):
        for i1 in range(x.size(0)):
            x = self.part(x, (x.shape[-1] | 1))
        return x.flatten() * float(max(x.size(0), 2))
