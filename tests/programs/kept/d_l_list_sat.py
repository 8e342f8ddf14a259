# found by hand, on the tracer before it was mended
# inputs: [["x", "f32", ["B", 3]]]
# mode: script  dynamic: 1  seed: 3  data: 1
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
import torch.nn as nn
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        l = [0]
        h = x[0]
        for i in range(x.size(0)):
            h = h + x[i]
            if l[0] < 3:
                l[0] = l[0] + 1
        return h * l[0]
# SPDX-License-Identifier: Apache-2.0
