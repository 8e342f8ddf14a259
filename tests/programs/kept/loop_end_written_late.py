# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 12,4
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l = [y, y * 2, y*3, y*4, y*5, y*6]
        h = x[0]
        for t in range(x.size(0)):
            if t > 0:
                l[0] = l[1]
                l[1] = l[2]
                l[2] = l[3]
                l[3] = l[4]
                l[4] = l[5]
            h = h + x[t]
        return h, l[0]
# SPDX-License-Identifier: Apache-2.0
