# inputs: [["x", "f32", ["B", "T"]]]
# REFUSED: max(B, T) was asserted to be T, silently
# mode: script  dynamic: 1  seed: 1  sample: 3,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        return x / max(x.shape[0], x.shape[1]), x * min(x.shape[1], 4), F.pad(x, [0, max(4 - x.shape[1], 0)])
# SPDX-License-Identifier: Apache-2.0
