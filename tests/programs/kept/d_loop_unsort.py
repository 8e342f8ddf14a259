# inputs: [["x", "f32", ["B", 4]], ["l", "i64", ["B"]]]
# mode: script  dynamic: 1  seed: 1
"""back[order[i]] = i in a loop was refused."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x: Tensor, l: Tensor):
        order = torch.sort(l, stable=True, descending=True)[1]
        back = torch.zeros_like(order)
        for i in range(order.shape[0]):
            back[order[i]] = i
        return (x[order] * 2.0)[back]
# SPDX-License-Identifier: Apache-2.0
