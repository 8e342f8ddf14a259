# inputs: [["x", "f32", ["B", "T", 3]]]
# mode: script  dynamic: 1  seed: 1  sample: 2,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        a = x[:, 0]
        for i in range(1, x.shape[1]):
            a = torch.maximum(a * 0.5, x[:, i])
        return a
# SPDX-License-Identifier: Apache-2.0
