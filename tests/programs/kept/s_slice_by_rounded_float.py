# inputs: [["x", "f32", [2, 10, 3]], ["y", "f32", [2]]]
# REFUSED: int() of a computed float was no size, that of .long() was one
# mode: script  dynamic: 0  seed: 3  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        out = []
        for i in range(x.shape[0]):
            n = int(torch.round(y[i].abs() * 3))
            out.append(x[i] - x[i, :n].sum(0))
        return torch.stack(out)
# SPDX-License-Identifier: Apache-2.0
