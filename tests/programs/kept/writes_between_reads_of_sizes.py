# inputs: [["x", "f32", ["B", "T"]]]
# refused: the sizes of a tensor that a loop writes were those of another tensor in each iteration
# mode: script  dynamic: 1  seed: 1  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = x * 1
        h = torch.zeros(x.size(0))
        for t in range(x.size(1)):
            y[:, t] = y[:, t] + y.size(1)
            h = h + y[:, t] * y.size(0)
        return h, y, torch.zeros(y.size(0), y.size(1))
# SPDX-License-Identifier: Apache-2.0
