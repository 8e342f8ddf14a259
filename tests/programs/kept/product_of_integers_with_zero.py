# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T"]]]
# WRONG: input 0 {'B': 2, 'T': 4}: output 0: shape [1] instead of [4]
# mode: script  dynamic: 1  seed: 7111856  data: 0  sample: 2,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        if x.size(0) < z.size(0):
            z = z * (x.size(0) - x.size(0))
            z = z * (x.size(0) // 2)
        else:
            for i1, u2 in enumerate(z.unbind(0)):
                i1 = i1 - x.size(0)
                i1 += divmod(len(z), 4)[0]
            z = z + z.amax(0)
        return z * max(z.size(0), 1), z * (z.size(0) // 2)
# SPDX-License-Identifier: Apache-2.0
