# inputs: [["x", "f32", ["B", 3]], ["z", "i64", [1]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        mode = int(z[0].item())
        if mode == 0:
            y = x.relu()
        elif mode == 1:
            y = x.tanh()
        else:
            y = x.sigmoid()
        return y
# SPDX-License-Identifier: Apache-2.0
