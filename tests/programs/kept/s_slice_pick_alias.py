# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        a = [[1], [2], [3]]
        k = abs(int(z.sum())) % 2
        m = a[k:]
        m[0].append(5)
        return y * len(a[0])
# SPDX-License-Identifier: Apache-2.0
