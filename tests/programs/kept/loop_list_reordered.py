# inputs: [["x", "f32", ["B", 3]], ["y", "f32", [70, 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 5
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        p = y.unbind(0)
        q = p[:16] + [p[17], p[16]] + p[18:]
        h = x[0]
        for t in range(x.size(0)):
            h = h * 0.5 + q[t]
        return h
# SPDX-License-Identifier: Apache-2.0
