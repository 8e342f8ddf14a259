# inputs: [["x","f32",[2,4,8]]]
# WRONG: the stride was moved in front of the softmax
# mode: script  dynamic: 0  seed: 1  data: 1  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        a = F.conv1d(x.softmax(2), torch.ones(4, 1, 1), stride=2, groups=4)
        b = F.conv1d(F.conv1d(x, torch.ones(4, 4, 1)), torch.ones(4, 4, 1), stride=2)
        return a, b, F.conv1d(x * x.sum(2, True).expand_as(x), torch.ones(1, 4, 1), stride=2)
# SPDX-License-Identifier: Apache-2.0
