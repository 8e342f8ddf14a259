# inputs: [["a", "f32", ["B", "B"]], ["b", "f32", ["B", "T"]]]
# refused: error[unsupported-inplace]: the in-place operator 'aten::fill_diagonal_' cannot be exported
# mode: script  dynamic: 1  seed: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, a: Tensor, b: Tensor):
        loops = (a > 0.5).float()
        loops.fill_diagonal_(1)
        c = b.repeat(2, 1)
        c[1:].fill_diagonal_(7)
        d = b.unsqueeze(0).repeat(2, 1, 1)
        d[1].t().fill_diagonal_(-1.5)
        e = b * 1
        e.diagonal(1)[:] = 4.0
        e.diagonal(-1).mul_(2)
        return loops @ b, c, d, e
# SPDX-License-Identifier: Apache-2.0
