# a branch in a rolled loop that goes the other way at one size
# inputs: [["x", "f32", ["B", 3]]]
# mode: script  dynamic: 1  seed: 1  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        is_three = x.size(0) == 3
        for i in range(x.size(0)):
            if x.size(0) != x.size(1):
                x = x * 3
            if is_three:
                x = x + 1
        return x
# SPDX-License-Identifier: Apache-2.0
