# inputs: [["x", "f32", ["B", 3]]]
# CRASH: exit 1: internal error: crashed (SIGABRT)
# mode: script  dynamic: 1  seed: 6001916  data: 0  sample: 2,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if x.size(0) in [1, 2, 4, 8]:
            x = x + x[-1]
            for i2, u3 in enumerate(x.unbind(0)):
                u3 = u3 * (u3.size(0) % 2)
                i2 += (x.size(0) // len(u3))
        l4: List[Tensor] = [x * q5 for q5 in range((x.size(0) % 2))]
        return x[:len(l4)]
# SPDX-License-Identifier: Apache-2.0
