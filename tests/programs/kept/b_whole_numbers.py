# refused before: whole numbers of data
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        n = int(z[0])
        m = int(z[1])
        return z * n + m, z + n // 3 - m % 4, x * (n / 4), x * float(n > m), z == n, torch.tensor([n, m + 1]), z * abs(n) - max(n, m)
# SPDX-License-Identifier: Apache-2.0
