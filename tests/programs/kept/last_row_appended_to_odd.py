# inputs: [["x","f32",["B","T",3]]]
# mode: script  dynamic: 1  seed: 1  data: 1  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if x.size(1) % 2 == 1:
            x = torch.cat([x, x[:, -1:]], 1)
        return x.reshape(x.size(0), -1, 2, 3).sum(2)
# SPDX-License-Identifier: Apache-2.0
