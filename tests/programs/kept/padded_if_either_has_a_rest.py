# inputs: [["x", "f32", [1, 2, "B", "T"]]]
# was WRONG: the branch is left where both remainders are 0, which no trial was
# mode: script  dynamic: 1  seed: 1  sample: 7,10  rtol: 0.0001
import torch
from torch import Tensor
import torch.nn.functional as F
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        H, W = x.shape[2], x.shape[3]
        if H % 4 != 0 or W % 4 != 0:
            x = F.pad(x, (0, 4 - W % 4, 0, 4 - H % 4))
        return F.max_pool2d(x, 4)
# SPDX-License-Identifier: Apache-2.0
