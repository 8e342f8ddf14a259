# wrong: found by hand
# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
@torch.jit.script
class C:
    def __init__(self, n: int):
        self.n = n
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        a = C(1)
        b = C(2)
        l = [a] * x.size(0) + [b]
        l[2].n = 7
        return x * b.n
# SPDX-License-Identifier: Apache-2.0
