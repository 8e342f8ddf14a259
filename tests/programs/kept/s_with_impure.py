# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from typing import Any
@torch.jit.script
class Ctx:
    def __init__(self, l: List[int]):
        self.l = l
    def __enter__(self):
        self.l.append(1)
    def __exit__(self, a: Any, b: Any, c: Any):
        self.l.append(2)
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        l: List[int] = []
        c = Ctx(l)
        if bool(y.sum() > 0):
            with c:
                r = x * 2
        else:
            r = x * 3
        return r * len(l)
# SPDX-License-Identifier: Apache-2.0
