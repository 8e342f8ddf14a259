# refused before: a branch that keeps indices inside
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        i = z[0]
        if bool(i < 3) and bool(i >= 0):
            a = x[i]
        else:
            a = x.sum(0)
        if bool((z < 3).all()) and bool((z >= 0).all()):
            b = y.index_select(1, z)
        else:
            b = y[:, :1].expand(4, 4)
        return a, b
# SPDX-License-Identifier: Apache-2.0
