# inputs: [["x", "i64", [4, 3]], ["y", "i64", ["B"]]]
# NORUN: load: no answer
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        total = x
        for i in range(101, 141):
            total = total + x * i
        for i in range(12):
            y = (y * (i + 3)) ^ (y // (i + 2))
        return total, y
# SPDX-License-Identifier: Apache-2.0
