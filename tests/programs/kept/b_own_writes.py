# refused before: ways that write to what they made
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if bool(x.mean() > 0):
            rows: List[Tensor] = []
            for i in range(4):
                r = x[i] * 2
                r.add_(i)
                rows.append(r)
            out = torch.stack(rows)
        else:
            out = torch.relu_(y - 1)
        return out * 2
# SPDX-License-Identifier: Apache-2.0
