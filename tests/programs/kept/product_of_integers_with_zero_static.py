# inputs: [["x", "f32", [2, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        return z * 0 * 3, (z * 0) // 2, z * torch.zeros(4, dtype=torch.int64) * 3, (z.int() * 0) * 5
# SPDX-License-Identifier: Apache-2.0
