# WRONG before: a number wrapped round in u8 before both became floats
# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        n = int(z.sum())
        u = (x * 4).to(torch.int64).abs().to(torch.uint8)
        return u / n, torch.float_power(u + 1, n), torch.copysign(u, n), u + n, u * n, u[0, 0] / n
# SPDX-License-Identifier: Apache-2.0
