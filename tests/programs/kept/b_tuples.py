# refused before: tuples of tensors and numbers, chosen
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def f(self, x: Tensor):
        return x * 2, (x.sum(), 3.5)
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if bool(x.mean() > 0):
            t = self.f(x)
        else:
            t = (x + 1, (y.mean(), 4.0))
        return t[0] * t[1][0] + t[1][1]
# SPDX-License-Identifier: Apache-2.0
