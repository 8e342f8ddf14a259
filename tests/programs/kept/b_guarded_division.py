# refused before: a branch that keeps divisors off zero
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        n = int(z[1])
        d = z[0]
        if n != 0:
            a = x * (17 // n) + 17 % n
        else:
            a = y
        if bool(d != 0):
            b = z // d + torch.remainder(z, d)
        else:
            b = z
        return a, b
# SPDX-License-Identifier: Apache-2.0
