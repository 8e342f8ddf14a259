# wrong: found by hand
# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
@torch.jit.interface
class I(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass
class A(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2
class B(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 3
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList([A(), B()])
    def forward(self, x: Tensor, y: Tensor):
        m: I = self.l[min(x.size(0) // 4, 1)]
        return m.forward(x)
# SPDX-License-Identifier: Apache-2.0
