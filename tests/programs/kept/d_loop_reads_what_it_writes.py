# inputs: [["x", "f32", ["B", "T", 4]]]
# mode: script  dynamic: 1  seed: 1
"""A loop that reads what it wrote the turn before, from the end, was refused."""
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
        out = x * 1.0
        for t in range(x.size(1) - 2, -1, -1):
            out[:, t] = out[:, t] + out[:, t + 1] * 0.5
        return out
# SPDX-License-Identifier: Apache-2.0
