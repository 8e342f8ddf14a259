# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", ["B", 3]]]
# mode: script  dynamic: 1  seed: 3  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
import torch.nn as nn
@torch.jit.script
class C:
    def __init__(self):
        self.n = 0
    def tick(self):
        self.n = min(self.n + 1, 4)
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        c = C()
        h = torch.zeros(3)
        for i in range(x.size(0)):
            c.tick()
            h = h + x[i]
        return h * c.n
# SPDX-License-Identifier: Apache-2.0
