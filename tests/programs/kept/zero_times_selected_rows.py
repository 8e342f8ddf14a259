# products with 0, and conjunctions with false, of data-dependent sizes
# inputs: [["x", "f32", [4, 3]]]
# mode: script  dynamic: 0  seed: 1  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        rows = x[x[:, 0] > 0]
        places = torch.nonzero(x)
        some = (rows > 0) | torch.ones(3, dtype=torch.bool)
        none = (rows > 0) & torch.zeros(3, dtype=torch.bool)
        return rows * 0.0 + 1, rows * torch.zeros(3), places * 0, places & 0, some, none
# SPDX-License-Identifier: Apache-2.0
