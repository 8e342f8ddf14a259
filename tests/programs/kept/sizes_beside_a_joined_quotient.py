# inputs: [["x", "f32", ["B", 4, "T"]]]
# mode: trace  dynamic: 1  seed: 1  data: 0  sample: 3,11,4
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        # tract joins T + T/2 to (3*T)/2 in some places only: sizes that stay are no part of a reshape.
        v = F.pad(x, [1, 1, 0, 2], value=0.5)
        v = F.pad(v, [v.shape[2] // 2, 0])
        v = F.pad(v, [2, 3], mode='circular')
        parts = v.view(v.shape[0], 3, 2, v.shape[2]).transpose(1, 2)
        return parts.reshape(v.shape[0], 6, v.shape[2]), v.transpose(1, 2).reshape(-1, 6), v.unflatten(1, [2, 3])
# SPDX-License-Identifier: Apache-2.0
