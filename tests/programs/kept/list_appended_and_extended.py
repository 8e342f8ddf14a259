# inputs: [["x", "f32", ["B"]], ["y", "f32", [2, 3]]]
# append in a loop did not count once extend had marked the list's length
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 7
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l1: List[Tensor] = [y]
        for i in range(2):
            l1.append(y)
            l1 += list(y[i].unbind(0))
        l2: List[Tensor] = [y]
        for a, b in zip(y.unbind(0), y.unbind(0)):
            l2.extend(a.unbind(0))
            l2.pop()
        l3: List[Tensor] = []
        for i in range(2):
            for row in y.unbind(0):
                l3 += list(row.unbind(0))
        l4: List[Tensor] = []
        for row in x.unbind(0):
            l4.append(row)
            l4 += [row, row]
        return x * len(l1) + len(l2), x * len(l3) + len(l4)
# SPDX-License-Identifier: Apache-2.0
