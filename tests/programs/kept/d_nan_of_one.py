# inputs: [["x", "f32", ["B", "T"]]]
# mode: script  dynamic: 1  seed: 1
"""NaN of one row or column, through operators that engines compute with maxima."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        s = x.var(0)
        g = torch.arange(x.size(1)) / (x.size(1) - 1)
        y = torch.stack([F.relu(s), s.clamp(-1.0, 1.0), torch.maximum(s, s * 0 + 1), F.hardswish(s), torch.sigmoid(s), torch.tanh(s),
                         F.relu6(F.layer_norm(s, [1])) if s.dim() == 0 else F.hardtanh(s), F.relu(g), F.silu(s).clamp_min(0.5)])
        p = F.max_pool1d(s[None, None], 1)
        return torch.isnan(y).float(), torch.isnan(s.amax()).float(), torch.isnan(s.min(0)[0]).float(), torch.isnan(p).float()
# SPDX-License-Identifier: Apache-2.0
