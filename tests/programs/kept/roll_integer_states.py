# NORUN: integer factors of states
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        n = (x[0] * 10).to(torch.int64)
        m = (x[1] * 10).to(torch.int32)
        u = (x[2].abs() * 10).to(torch.uint8)
        p = (x[3] * 2).to(torch.int64)
        for i in range(4):
            n = n * 3
            m = m * 5 - 2
            u = u * 3 + 1
            p = p ** 2 % 7
            n = torch.div(n, 2, rounding_mode="floor") + (i * 3 - 7)
        return n, m, u, p
# SPDX-License-Identifier: Apache-2.0
