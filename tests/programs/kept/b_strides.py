# refused before: ways that lie in memory in other orders
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        a = x[:3]
        if bool(x.sum() > 0):
            b = a.t()
        else:
            b = a
        return b * 2, b.reshape(9) + 1
# SPDX-License-Identifier: Apache-2.0
