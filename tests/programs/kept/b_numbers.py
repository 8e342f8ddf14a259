# refused before: real numbers of data
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        s = float(x.sum())
        t = y.max().item()
        if s > 0.1 + float(y[0, 0]):
            c = s * 2 - 1.5
        else:
            c = max(s, 0.25) - min(float(y.min()), 0.5)
        return x * c + s, torch.full((2, 3), s), torch.clamp(y, max=s), torch.tensor([s, 2 * s]), y > c
# SPDX-License-Identifier: Apache-2.0
