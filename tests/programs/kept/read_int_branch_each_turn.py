# inputs: [["x", "f32", ["B", 4]], ["z", "i64", [6]]]
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
        for i in range(6):
            if int(z[i]) != 0:
                h = h * 0.5 + i
        return h
# SPDX-License-Identifier: Apache-2.0
