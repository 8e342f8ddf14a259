# TIMEOUT before: the maximum of 2*B - 6 and 6 - 2*B has no common part to take out
# inputs: [["x", "f32", [2, "B"]]]
# mode: script  dynamic: 1  seed: 40000243  data: 1  sample: 3,5
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        t = x.reshape(-1)
        a = t.size(0)
        n = abs(3 * a - 12) + abs(a - 8)
        return t + abs(a - 6), torch.arange(n).float() * t.sum(), max(2 * a - 9, 9 - 2 * a, 1) + t
# SPDX-License-Identifier: Apache-2.0
