# TIMEOUT before: what an iteration computed of numbers was computed anew for every use
# inputs: [["x", "f32", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = x * 1.0
        for t in range(x.size(0)):
            s = float(x[t])
            if s > 1: s = s * 0.5
            else: s = s + 0.25
            if s > 0: s = s * 0.5
            else: s = s + 0.25
            if s > 0.5: s = s - 1
            else: s = s + 0.75
            if s > 0.25: s = s * 0.5
            else: s = s + 1.25
            if s > 1: s = s - 0.5
            else: s = s + 0.25
            if s > 0: s = s * 0.5
            else: s = s - 0.25
            if s > 1: s = s * 0.5
            else: s = s + 0.5
            if s > 0.5: s = s - 0.5
            else: s = s + 0.25
            if s > 0: s = s * 0.5
            else: s = s + 0.25
            if s > 1: s = s * 0.5
            else: s = s + 0.25
            if s > 0: s = s + 0.5
            else: s = s + 0.25
            y = y * 0.5 + s
        return y
# SPDX-License-Identifier: Apache-2.0
