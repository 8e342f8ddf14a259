# wrong: found by hand
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
def f(n: int) -> float:
    return 0.0 * n
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if bool(z.sum() > 3):
            s = f(1)
        else:
            s = f(-1)
        return torch.copysign(x, torch.full((4, 3), s))
# SPDX-License-Identifier: Apache-2.0
