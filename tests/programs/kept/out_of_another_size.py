# inputs: [["x", "f32", [2, "B"]], ["y", "f32", ["B", 3]]]
# out= takes the sizes of the result, not those from before
# mode: script  dynamic: 1  seed: 54010139  data: 0  sample: 3,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        w1 = 0
        while w1 < 5 and bool(max(y.size(0), 3)):
            w1 += 1
            x.clamp_(min=(y.size(0) + 1))
            torch.mul(x, max(len(y), (y.size(0) % 2)), out=y)
        return x * w1 if w1 > 2 else x - w1
# SPDX-License-Identifier: Apache-2.0
