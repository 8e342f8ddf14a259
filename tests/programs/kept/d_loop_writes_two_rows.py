# inputs: [["x", "f32", [2, "T", 4]]]
# mode: script  dynamic: 1  seed: 1
"""A loop that writes two rows in each turn, and reads the first, was refused."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x: Tensor):
        out = torch.zeros(2, x.size(1) * 2 + 1, 4)
        for t in range(x.size(1)):
            out[:, 2 * t] = x[:, t]
            out[:, 2 * t + 1] = out[:, 2 * t] + 1.0
        return out
# SPDX-License-Identifier: Apache-2.0
