# inputs: [["x", "f32", [1, 2, "B", "T"]]]
# max_unpool to open sizes
# mode: script  dynamic: 1  seed: 1  sample: 8,7  rtol: 0.0001
import torch
from torch import Tensor
import torch.nn.functional as F
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y, i = F.max_pool2d(x, 2, return_indices=True)
        z = F.max_unpool2d(y * 2, i, [2, 2], output_size=x.shape[2:])
        u, k = F.max_pool1d(x[0], 3, 2, return_indices=True)
        return z, F.max_unpool1d(u + 1, k, [3], [2], output_size=x[0].size())
# SPDX-License-Identifier: Apache-2.0
