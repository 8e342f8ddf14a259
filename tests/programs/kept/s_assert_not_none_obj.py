# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
class A:
    def __init__(self, n: int):
        self.n = n
def mk(b: bool, n: int) -> Optional[A]:
    if b:
        return A(n)
    return None
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        a = mk(x.size(0) == 4, int(x.sum()))
        assert a is not None
        return x * a.n
# SPDX-License-Identifier: Apache-2.0
