# inputs: [["x", "i64", [4]]]
# a number that exceeds the integers of the tensor wraps in torch
# mode: script  dynamic: 0  seed: 1  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        j = x.to(torch.int8)
        wide = j.to(torch.int16) * 40000, j.to(torch.int32) * 3000000000
        return j * 200, j + 300, j - 129, j > 200, j.to(torch.uint8) + (-1), wide[0], wide[1]
# SPDX-License-Identifier: Apache-2.0
