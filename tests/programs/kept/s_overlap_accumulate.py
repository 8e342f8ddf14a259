# wrong: found by hand
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        m = x.flatten().clone()
        m.unfold(0, 3, 2).add_(1)
        return m
# SPDX-License-Identifier: Apache-2.0
