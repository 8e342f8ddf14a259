# inputs: [["x", "f32", [4, 6]]]
# mode: trace  dynamic: 0  seed: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor, nn
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        h = x.half()
        return F.relu(h * 0.001) * 300 * 300, h / 300 / 300 * 300
# SPDX-License-Identifier: Apache-2.0
