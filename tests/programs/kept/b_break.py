# refused before: a loop that is left by data, and what it had then
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        s = torch.zeros(3)
        k = 0
        for i in range(4):
            if bool(x[i].sum() < -1):
                break
            s = s + x[i]
            k = i
        return s, y[k], s * k
# SPDX-License-Identifier: Apache-2.0
