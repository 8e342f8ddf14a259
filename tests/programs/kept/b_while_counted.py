# refused before: a while that data or a count ends
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        n = 0
        while bool(x.abs().max() > 0.25) and n < 5:
            x = x * 0.5
            n += 1
        return x * n
# SPDX-License-Identifier: Apache-2.0
