# inputs: [["x", "f32", [2, "T", 4]]]
# mode: script  dynamic: 1  seed: 1
"""A loop that passes three states on was refused."""
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
        a, b, c = torch.zeros(2, 4), torch.ones(2, 4), torch.ones(2, 4) * 2
        for t in range(x.size(1)):
            a, b, c = b, c, a * 0.5 + x[:, t]
        return a, b, c
# SPDX-License-Identifier: Apache-2.0
