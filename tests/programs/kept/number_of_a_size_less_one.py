# inputs: [["x", "f32", ["B", "T"]]]
# REFUSED: max(T - 1, 1) was asserted to be T - 1
# mode: script  dynamic: 1  seed: 1  sample: 3,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        return x / max(x.shape[1] - 1, 1)
# SPDX-License-Identifier: Apache-2.0
