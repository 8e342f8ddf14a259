# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]], ["m", "bool", [4]]]
# mode: script  dynamic: 0  seed: 5007946  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor, m: Tensor):

        torch.add(m, m, out=z)
        return z
# SPDX-License-Identifier: Apache-2.0
