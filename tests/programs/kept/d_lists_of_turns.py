# inputs: [["x", "f32", ["B", 3]]]
# right: lists that loops made are as long as the axis, wherever they grew
# mode: script  dynamic: 1  seed: 0  data: 0
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        h = x[0] * 0
        first: List[Tensor] = []
        last: List[Tensor] = []
        whole = [h]
        for i in range(x.size(0)):
            h = h * 0.5 + x[i]
            first.insert(0, h)
            last = last + [h * 2]
            whole += [h + 1]
        return torch.stack(first + last), torch.stack(whole), torch.cat([last[-1], first[0], whole[0]])
# SPDX-License-Identifier: Apache-2.0
