# inputs: [["x", "f32", ["B", "H", "W", 2]]]
# REFUSED: branches that pad and crop went another way where nothing is padded
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 2,5,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        b, h, w, c = x.shape
        ph = (4 - h % 4) % 4
        pw = (4 - w % 4) % 4
        if ph > 0 or pw > 0:
            x = F.pad(x, (0, 0, 0, pw, 0, ph))
        hp, wp = x.size(1), x.size(2)
        y = x.view(b, hp // 4, 4, wp // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        y = y - y.mean(1, keepdim=True)
        x = y.view(b, hp // 4, wp // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, hp, wp, c)
        if ph > 0 or pw > 0:
            x = x[:, :h, :w, :].contiguous()
        return x
# SPDX-License-Identifier: Apache-2.0
