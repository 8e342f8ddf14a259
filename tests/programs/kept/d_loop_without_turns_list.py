# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["B", "T"]]]
# CRASH: exit 1: internal error: crashed (SIGABRT)
# mode: script  dynamic: 1  seed: 6002159  data: 0  sample: 2,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l1: List[Tensor] = [y * q2 for q2 in range(y.shape[-1])]
        l3: List[int] = [q4 * x.numel() for q4 in range((x.size(0) % 2))]
        l3 *= x.numel()
        return y * len(l3 + l3), torch.tensor(l3) * len(l3 + l3)
# SPDX-License-Identifier: Apache-2.0
