# inputs: [["x", "f32", ["B", "T", 4]], ["y", "f32", ["T", 4]]]
# mode: script  dynamic: 1  seed: 1
"""A loop with a product in a loop, whose states have B - B/3 rows: tract did not load it, and then failed in every run."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Linear(4, 4)
    def forward(self, x: Tensor, y: Tensor):
        z = x[x.size(0) // 3:]
        h = torch.zeros(z.size(0), 4)
        for t in range(z.size(1)):
            for s in range(y.size(0)):
                h = torch.tanh(self.c(h) + y[s]) 
            h = h + z[:, t]
        return h
# SPDX-License-Identifier: Apache-2.0
