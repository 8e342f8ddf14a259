# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from typing import Union, Any
def f(v: Any) -> int:
    if isinstance(v, Tuple[List[int], int]):
        return v[1]
    return 0
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        t = ([int(x.sum())], 3)
        k = f(t)
        return x * t[0][0] + k
# SPDX-License-Identifier: Apache-2.0
