# crash: found by hand
# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
    def forward(self, x: Tensor, y: Tensor):
        return torch.cat([self.l(r.unsqueeze(0)) for r in x])
# SPDX-License-Identifier: Apache-2.0
