# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]]]
# NORUN: input 4: the engine ended the process at an integer division by 0
# mode: script  dynamic: 0  seed: 31001559  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor

class M(torch.nn.Module):

    def forward(self, x: Tensor, y: Tensor):
        if torch.bincount(x.long().flatten().abs()).numel():
            pass
        else:
            y = y * (2 // torch.argwhere(x).shape[0])
        return y
# SPDX-License-Identifier: Apache-2.0
