# inputs: [["x", "f32", [4, 3]]]
# WRONG: torch reads the diagonal while it writes to it
# mode: script  dynamic: 0  seed: 3001161  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = x * 2
        torch.add(y, y.diagonal(), out=y)
        return y
# SPDX-License-Identifier: Apache-2.0
