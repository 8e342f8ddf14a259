# WRONG: the loop inside had the first weight in all turns
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = [torch.arange(6) * (0.25 * i - 0.25) for i in range(4)]
    def forward(self, x: Tensor):
        h = x[0]
        for i in range(4):
            for j in range(3):
                h = torch.tanh(h * self.ws[i] + x[j])
        return h
# SPDX-License-Identifier: Apache-2.0
