# a result without elements, of a file that holds for some values only
# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 9630856  data: 1
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        w1 = 0
        while w1 < 5 and len(z[z > 0.5]) not in (2, 4):
            w1 += 1
            if (z.size(0) - z.size(0)) != 5:
                return torch.tensor([min(divmod((z.size(0) + 1), 3)[0], 2), min(torch.jit.annotate(List[int], z.long().flatten().tolist())[0], 3)])
            z = z + z.flip([max(x.size(0), 2) % 2])
        return z[:w1]
# SPDX-License-Identifier: Apache-2.0
