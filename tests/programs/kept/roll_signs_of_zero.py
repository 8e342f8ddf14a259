# WRONG: 0.0 and -0.0 were one number
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        h = x[0]
        s = 0.0
        for i in range(3):
            h = h * 2 + torch.atan(x[1] / s)
            s = -s
        return h
# SPDX-License-Identifier: Apache-2.0
