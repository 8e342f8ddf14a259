# inputs: [["x", "f32", ["B", "T", 3]]]
# REFUSED: (T + 1)//2 - T//4 was said to have no form
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,8  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        a, b = x[:, ::2], x[:, 1::2]
        s = a @ b.transpose(1, 2) + torch.arange(b.size(1)) * 0.001 + torch.arange(a.size(1))[:, None] * 0.0101
        m, j = s.max(-1)
        e = m.argsort(-1, descending=True)[..., None]
        r = x.size(1) // 4
        un, src = e[:, r:], e[:, :r]
        dst = j[..., None].gather(1, src)
        u = a.gather(1, un.expand(-1, -1, 3))
        sr = a.gather(1, src.expand(-1, -1, 3))
        d = b.scatter_add(1, dst.expand(-1, -1, 3), sr)
        return torch.cat([u, d], 1)
# SPDX-License-Identifier: Apache-2.0
