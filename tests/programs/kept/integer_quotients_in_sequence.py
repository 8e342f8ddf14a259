# inputs: [["x", "i64", ["B", "T"]]]
# NORUN: load: no answer
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        for i in range(3):
            x = torch.remainder(torch.div(x, 3, rounding_mode='trunc'), 97)
        y = x
        for i in range(6):
            y = torch.remainder(y // 3, 97)
        return x, y
# SPDX-License-Identifier: Apache-2.0
