# inputs: [["x", "f32", ["B", "T", 3]], ["z", "i64", ["B", "T"]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        m = z > 1
        if int(m.sum()) == 0:
            return x
        return x.masked_fill(m.unsqueeze(-1), 0.0)
# SPDX-License-Identifier: Apache-2.0
