# inputs: [["x", "f32", ["B"]], ["z", "i64", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 4,6
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        for u in z.unbind(0):
            z = z * (1 % z.numel())
        return x, z
# SPDX-License-Identifier: Apache-2.0
