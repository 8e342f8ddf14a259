# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 13,4
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l = [y, y * 2]
        h = x[0]
        for t in range(x.size(0) // 2):
            if t > 0:
                l[0] = l[1]
                l[1] = y * 3
            h = h + x[t]
        return h, l[0]
# SPDX-License-Identifier: Apache-2.0
