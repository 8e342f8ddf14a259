# inputs: [["x","f32",["B"]],["y","f32",["T"]]]
# WRONG: T=10, B=3: shape [10] instead of [9]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,4,6
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        if x.size(0) % 2 == 1:
            y = y[:9]
        return y * 2 + x.sum()
# SPDX-License-Identifier: Apache-2.0
