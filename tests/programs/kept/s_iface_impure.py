# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.interface
class P(torch.nn.Module):
    def put(self, t: Tensor) -> Tensor:
        pass
class Add(torch.nn.Module):
    def put(self, t: Tensor) -> Tensor:
        t.add_(1)
        return t * 2
    def forward(self, t: Tensor) -> Tensor:
        return t
class M(torch.nn.Module):
    p: P
    def __init__(self):
        super().__init__()
        self.p = Add()
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        a = x.clone()
        if bool(y.sum() > 0):
            r = self.p.put(a)
        else:
            r = a * 3
        return a, r
# SPDX-License-Identifier: Apache-2.0
