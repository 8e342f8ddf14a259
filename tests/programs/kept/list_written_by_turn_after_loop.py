# inputs: [["x", "f32", ["B", 3]]]
# CRASH: exit 1: internal error: crashed (SIGABRT)
# mode: script  dynamic: 1  seed: 7205000  data: 0  sample: 3
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        l: List[int] = list(x.size())
        l *= x.size(0)
        l[list(range(x.size(0)))[-1]] = len(x)
        return x * l[0]
# SPDX-License-Identifier: Apache-2.0
