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
        out = torch.zeros_like(x)
        out[:, 0] = x[:, 0]
        for t in range(1, x.size(1)):
            out[:, t] = out[:, t - 1] * 0.5 + x[:, t]
        return out
# SPDX-License-Identifier: Apache-2.0
