# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["B", "T"]]]
# NORUN: load: Condition failed: self.input_mapping.iter().filter(|m| m.is_state()).count() (2 vs 3)
# mode: script  dynamic: 1  seed: 53001034  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        v1 = y[:, 0]
        for u2 in v1:
            u2.unsqueeze(0).mul_(2)
            v1.zero_()
        return y[:v1.size(0)]
# SPDX-License-Identifier: Apache-2.0
