# inputs: [["x","f32",["T"]]]
# WRONG: T=7: shape [7] instead of [6]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,4,6
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if x.size(0) % 2 == 1:
            x = x[:6]
        return x * 2
# SPDX-License-Identifier: Apache-2.0
