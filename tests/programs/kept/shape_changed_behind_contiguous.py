# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T", 3]]]
# WRONG: y, which contiguous() gave back, kept its shape
# mode: script  dynamic: 1  seed: 31001785  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor

class Part(torch.nn.Module):

    def __init__(self, k: int):
        super().__init__()

    def forward(self, t: Tensor, n: int):
        v1 = t.contiguous()
        v1.unsqueeze_(0)

class M(torch.nn.Module):

    def __init__(self):
        super().__init__()
        self.part = Part(3)

    def forward(self, x: Tensor, y: Tensor):
        t2 = self.part(y, 0)
        return y
# SPDX-License-Identifier: Apache-2.0
