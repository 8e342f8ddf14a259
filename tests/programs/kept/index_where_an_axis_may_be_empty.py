# inputs: [["y", "i64", ["B", "S"]]]
# CRASH: exit 1: internal error: crashed (SIGFPE)
# mode: script  dynamic: 1  seed: 54000366  data: 0  sample: 2,12,8
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(78)
        self.m2 = torch.nn.Embedding(12, 4)
    def forward(self, y: Tensor):
        v2 = torch.cat([y, torch.zeros_like(y[:, :1])], 1)
        return self.m2(v2[:, ::2])
# SPDX-License-Identifier: Apache-2.0
