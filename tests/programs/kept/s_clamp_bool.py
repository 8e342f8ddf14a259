# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["m", "bool", [4]]]
# WRONG: input 0 : output 0: differs by 3 where the largest value is 4
# mode: script  dynamic: 0  seed: 602134  data: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
class Box:
    def __init__(self, n: int, t: Tensor):
        self.n = n
        self.w = 0.5
        self.b = False
        self.t = t
        self.l: List[int] = []
        self.d: Dict[str, int] = {'a': n}
    def get(self) -> int:
        return self.n
    def put(self, n: int):
        self.n = n
    def push(self, n: int) -> int:
        self.l.append(n)
        return len(self.l)
    def total(self) -> int:
        s = self.n
        for q in self.l:
            s += q
        return s
    def least(self, n: int) -> int:
        if self.n < n:
            return self.n
        return n
    def has(self, n: int) -> bool:
        return n in self.l or n == self.n
    def flip(self):
        self.b = not self.b
        self.l.reverse()
    def scaled(self, t: Tensor) -> Tensor:
        return t * self.n
    @property
    def twice(self) -> int:
        return self.n * 2
    def __len__(self) -> int:
        return len(self.l) + self.n
@torch.jit.script
class Acc:
    def __init__(self):
        self.v: List[float] = []
        self.m = torch.jit.annotate(Optional[float], None)
    def add(self, f: float):
        self.v.append(f)
        self.m = f
    def mean(self) -> float:
        return sum(self.v) / max(len(self.v), 1)
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, m: Tensor):
        t1 = m[..., 0].clamp(min=len(x))
        a2 = Acc()
        b3 = Box((0 << 1), m)
        return t1 / max(sum(a2.v), 1)
