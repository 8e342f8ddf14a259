# tract counts the index of an argmax over several axes before the transposition
# inputs: [["x", "f32", [4, 3]]]
# mode: script  dynamic: 0  seed: 1  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = x * 1
        y.t_()
        n = int(y.argmax())
        return torch.zeros([n, 2]) + x.sum(), x.t().argmin()
# SPDX-License-Identifier: Apache-2.0
