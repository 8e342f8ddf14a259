# refused before: a method that returns early
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if bool(x.sum() > 0):
            return x * 2
        for i in range(4):
            if bool(y[i].sum() < 0):
                return x + y[i] * i
        return x - 1
# SPDX-License-Identifier: Apache-2.0
