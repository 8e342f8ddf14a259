# NORUN: an integer factor of what a float state becomes
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        h = x
        for i in range(4):
            h = h + ((x[i] * h).to(torch.int64) * 3)
            h = h - torch.floor(h / 8) * 8
        return h
# SPDX-License-Identifier: Apache-2.0
