# inputs: [["x", "f32", ["B", "H", "W", 2]]]
# REFUSED: a branch that pads went another way where both sizes are even
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 2,6,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        b, h, w, c = x.shape
        if (h % 2 == 1) or (w % 2 == 1):
            x = F.pad(x, (0, 0, 0, w % 2, 0, h % 2))
        return torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
# SPDX-License-Identifier: Apache-2.0
