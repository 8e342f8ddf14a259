# NORUN: tract drops the results, and then what reads the state
# inputs: [["x", "f32", [6, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        ob = torch.zeros(8, 6)
        b = x[0]
        for t in range(4):
            for j in range(1, 4):
                ob[j] = b
                b = torch.sin(torch.softmax(x[2] * x[4 - j], 0) + x[3])
        return b, ob
# SPDX-License-Identifier: Apache-2.0
