# NORUN: eval() called on a Dummy op
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        out = torch.zeros(8, 6)
        for i in range(5, -1, -1):
            out[i] = (((x[1] + i % 2) + i // 2) + x[3] * 0.5) * 0.5
        return out
# SPDX-License-Identifier: Apache-2.0
