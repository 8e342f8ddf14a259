# inputs: [["x", "f16", [2, 3, 6]]]
# WRONG: products beyond the range of f16 before alpha, which torch adds up in f32 or multiplies first
# mode: script  dynamic: 0  seed: 1  rtol: 0.002
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        a = x * 200
        nothing = torch.zeros(3, 3, dtype=torch.float16)
        return (
            torch.addbmm(nothing, a, a.transpose(1, 2), alpha=0.001),
            torch.addr(nothing, a[0, :, 0], a[0, :, 1], alpha=0.001),
            torch.addmm(nothing, a[0], a[1].t(), alpha=0.001, beta=0.5),
            torch.baddbmm(nothing, a, a.transpose(1, 2), alpha=0.001),
        )
# SPDX-License-Identifier: Apache-2.0
