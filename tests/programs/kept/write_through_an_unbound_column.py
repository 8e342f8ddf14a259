# inputs: [["x", "f32", ["B", "T", 4]]]
# REFUSED: positions of the column were a constant of the sample's sizes
# mode: script  dynamic: 1  seed: 1  sample: 3,5
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        x.unbind(2)[3].mul_(3)
        return x
# SPDX-License-Identifier: Apache-2.0
