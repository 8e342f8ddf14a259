# inputs: [["x", "f32", ["B", "T", 4]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        h = torch.zeros_like(x[:, 0])
        seen = False
        for t in range(1, x.size(1)):
            h = h * 0.5 + x[:, t]
            seen = True
        if seen:
            h = h + 1
        return h
# SPDX-License-Identifier: Apache-2.0
