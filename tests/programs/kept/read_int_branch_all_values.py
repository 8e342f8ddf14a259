# inputs: [["x", "f32", ["B", 2]], ["z", "i64", [5]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        h = x
        for i in range(5):
            k = int(z[i])
            if k > 1:
                h = h * 2 + i
            elif k == 0:
                h = h - x
        return h
# SPDX-License-Identifier: Apache-2.0
