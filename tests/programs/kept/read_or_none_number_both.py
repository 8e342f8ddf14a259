# inputs: [["x", "f32", ["B", "T", 4]], ["z", "i64", [3]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        n = int(z[0])
        if n > 1:
            y = x * n
        else:
            y = x - n
        return y, torch.zeros(abs(n) + 1)
# SPDX-License-Identifier: Apache-2.0
