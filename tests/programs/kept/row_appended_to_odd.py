# inputs: [["x","f32",["T",3]]]
# mode: script  dynamic: 1  seed: 1  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if x.size(0) % 2 == 1:
            x = torch.cat([x, torch.zeros(1, 3)], 0)
        return x.reshape(-1, 2, 3).sum(1)
# SPDX-License-Identifier: Apache-2.0
