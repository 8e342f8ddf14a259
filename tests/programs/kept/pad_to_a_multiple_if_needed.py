# inputs: [["x", "f32", ["B", "T", 2]]]
# REFUSED: a branch that pads went another way where the pad is 0
# mode: script  dynamic: 1  seed: 1  sample: 2,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        p = (4 - x.shape[1] % 4) % 4
        if p > 0:
            x = F.pad(x, [0, 0, 0, p])
        return x.view(x.shape[0], -1, 4, 2).sum(2)
# SPDX-License-Identifier: Apache-2.0
