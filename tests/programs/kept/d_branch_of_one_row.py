# inputs: [["x","f32",["B","T"]],["y","f32",["B","T"]]]
# WRONG in kind: a condition on one size was dropped because the graph was right at two sizes of the other
# mode: script  dynamic: 1  seed: 4  data: 0  sample: 4,6
import torch
from torch import Tensor
from typing import List, Dict
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        if x.size(0) == 1:
            if x.size(1) % 2 == 1 and x.size(1) > 6:
                x = x * 2
        return x + y
# SPDX-License-Identifier: Apache-2.0
