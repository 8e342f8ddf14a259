# inputs: [["x", "f32", ["T", "B", 4]]]
# mode: script  dynamic: 1  seed: 1
"""An LSTM over the last B - B/3 sequences, time first: tract did not load the scan."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.r = torch.nn.LSTM(4, 3, proj_size=2)
    def forward(self, x: Tensor):
        y, (h, c) = self.r(x[:, x.size(1) // 3:])
        return y, h, c
# SPDX-License-Identifier: Apache-2.0
