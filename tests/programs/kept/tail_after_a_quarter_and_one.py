# inputs: [["x", "f32", ["B", "T", 4]]]
# REFUSED: T - T//4 - 1 was said to have no form
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 2,9  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        n = x.size(1)
        k = n // 4 + 1
        return x[:, k:]
# SPDX-License-Identifier: Apache-2.0
