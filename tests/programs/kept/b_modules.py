# refused before: ways that call modules with writes of their own
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.Sequential(nn.ReLU(inplace=True), nn.Dropout(), nn.Hardtanh(-1.0, 2.0))
        self.b = nn.ReLU6()
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if bool(x.mean() > 0):
            out = self.a(x * 2)
        else:
            out = self.b(y)
        return out + 1
# SPDX-License-Identifier: Apache-2.0
