# inputs: [["x", "f32", ["B", 4]], ["z", "i64", [3]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.l = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    def forward(self, x: Tensor, z: Tensor):
        for i, l in enumerate(self.l):
            if int(z[i]) > 0:
                x = l(x).relu()
        return x
# SPDX-License-Identifier: Apache-2.0
