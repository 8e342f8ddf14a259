# inputs: [["x", "f32", ["B", "T", 4]], ["z", "i64", [3]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        h = x[:, 0]
        for t in range(x.size(1)):
            for i in range(3):
                if int(z[i]) == 0:
                    break
                h = h * 0.5 + i
            h = h + x[:, t]
        return h
# SPDX-License-Identifier: Apache-2.0
