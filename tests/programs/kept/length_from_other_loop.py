# inputs: [["x","f32",[4,3]]]
# mode: script  dynamic: 0  seed: 1  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        n = torch.repeat_interleave(x.flatten(), x.flatten().long().abs()).numel()
        k = 0
        for i5 in range(n):
            k = len([q for q in range(int(x.argmax()))])
        for i5 in range(k):
            x = x + 1
        return x
# SPDX-License-Identifier: Apache-2.0
