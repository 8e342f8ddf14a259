# inputs: [["x", "f32", ["B", 2, "H", "W"]]]
# REFUSED: 4*((W + 3)//4) - W <= W - 1 was not seen to be W >= 3
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,9,8  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        _, _, h, w = x.size()
        ph = (4 - h % 4) % 4
        pw = (4 - w % 4) % 4
        return F.pad(x, (0, pw, 0, ph), 'reflect')
# SPDX-License-Identifier: Apache-2.0
