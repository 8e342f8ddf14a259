# inputs: [["x", "f32", ["B", 3]]]
# CRASH: exit 1: internal error: emitter_structure.cpp:208: aten::copy: broadcast of [-2*((B) // (2)) + B] to [3]
# mode: script  dynamic: 1  seed: 7202468  data: 0  sample: 5,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        x[0, 1] = abs((x.size(0) // 2))
        torch.mul(x, min(x.size(0), 4), out=x)
        x[0, 0] = (x.size(0) % 2) * x.size(0)
        if x.size(0) > 3:
            x[1] = torch.arange((x.size(0) % 2))
            x.squeeze_(0)
        return x.roll((min(x.size(0), 3) - x.size(0)), 0)
# SPDX-License-Identifier: Apache-2.0
