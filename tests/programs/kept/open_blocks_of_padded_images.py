# inputs: [["x", "f32", [1, 3, "B", "T"]]]
# norun: load: TractError: 12*((B+1)/2)*((T+1)/2) should be equal to 12*(B)*(T)+12*((B)/2)*((T)/2)+-12*(B)*((T)/2)+-12*(T)*((B)/2)
# mode: trace  dynamic: 1  seed: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x):
        y = F.pad(x, [0, x.size(3) % 2, 0, x.size(2) % 2])
        u = F.unfold(y, 2, stride=2).transpose(1,2)
        return u.softmax(-1)
# SPDX-License-Identifier: Apache-2.0
