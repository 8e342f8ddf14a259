# crash: found by hand
# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        o: List[Tensor] = []
        for i in range(x.size(0)):
            o.append(x[i:i + 1] * 2)
        return torch.cat(o)
# SPDX-License-Identifier: Apache-2.0
