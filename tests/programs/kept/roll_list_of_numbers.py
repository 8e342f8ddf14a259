# CRASH: std::get of a list
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        h = x[0]
        for i in range(4):
            h = h * torch.tanh(x[1] * torch.tensor([i, i + 1, i + 2, 3, 4, 5]))
        return h
# SPDX-License-Identifier: Apache-2.0
