# inputs: [["x", "f32", ["B"]]]
# CRASH: exit 1: internal error: check_document.cpp:97: the document breaks tract's rules: 'slice_scatter_slice': 'slice': the slice ends at 2 of 1, at B=1
# mode: script  dynamic: 1  seed: 7112492  data: 0  sample: 4,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        x.neg_()
        v1 = x[(x.size(0) + 1):]
        x.mul_(math.ceil(-2.0))
        v1.fill_(min(1.5, 0.5))
        return x * ((max(v1.size(0), 1) - max(v1.size(0), 1)) - sum([((v1.size(0) - v1.size(0)) & 3), (x.size(0) + 1)]))
# SPDX-License-Identifier: Apache-2.0
