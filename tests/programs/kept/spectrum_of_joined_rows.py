# inputs: [["x", "f32", [3, 3, 12, 16]]]
# NORUN: load: Incompatible reshape for shape [Val(1), Val(3), Val(4)]
# mode: trace  dynamic: 0  seed: 31001464  data: 0  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn

class M(nn.Module):

    def forward(self, x: Tensor):
        v1 = x.transpose(2, 3)
        v2 = v1
        v3 = v2.permute(0, 2, 3, 1).permute(0, 3, 1, 2)
        v6 = v3
        v8 = v6
        v9 = v8
        v10 = v9.permute(0, 2, 3, 1).flatten(0, 1)
        v11 = torch.fft.fft(v10, dim=2).real
        return v11
# SPDX-License-Identifier: Apache-2.0
