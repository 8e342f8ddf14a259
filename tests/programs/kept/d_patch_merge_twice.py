# inputs: [["x", "f32", [1, "H", "W", 1]]]
# mode: script  dynamic: 1  seed: 1  sample: 5,7,6
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor, nn
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        for i in range(2):
            x = F.pad(x, [0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2])
            x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return x.flatten(1, 2)
# SPDX-License-Identifier: Apache-2.0
