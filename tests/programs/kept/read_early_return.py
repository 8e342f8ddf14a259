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
        for i in range(6):
            if int(z[i]) == 2:
                return x * i
        return x - 1
# SPDX-License-Identifier: Apache-2.0
