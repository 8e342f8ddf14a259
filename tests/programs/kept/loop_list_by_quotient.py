# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 5,4
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l = [x[0]] * 3
        h = x[0]
        for t in range(x.size(0)):
            h = h * 0.5 + l[t // 12]
        return h, y
# SPDX-License-Identifier: Apache-2.0
