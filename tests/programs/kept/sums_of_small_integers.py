# inputs: [["x", "i64", ["B", 3]]]
# WRONG: tract's sums of 8 and 16 bits end at the largest number, torch's wrap around
# mode: script  dynamic: 1  seed: 1  sample: 3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        small = (x * 50).to(torch.int8)
        return (
            small.sum(0, dtype=torch.int8),
            (x * 100).sum(0, dtype=torch.uint8),
            (x * 20000).to(torch.int16).sum(0, dtype=torch.int16),
            small.sum_to_size(1, 3),
        )
# SPDX-License-Identifier: Apache-2.0
