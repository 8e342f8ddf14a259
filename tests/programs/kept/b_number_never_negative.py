# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]]]
# WRONG: a number read as a size was taken for one that is never negative, and nothing counted it
# mode: script  dynamic: 0  seed: 0  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        n = int(z.max())
        return z.sum(0, keepdim=0 > n), x.sort(1, descending=n > -1)[0], x * min(n, 0)
# SPDX-License-Identifier: Apache-2.0
