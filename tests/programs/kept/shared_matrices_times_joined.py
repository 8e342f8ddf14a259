# inputs: [["x", "f32", ["B", "T", 2, 4, 5]]]
# NORUN: Incompatible reshape: a matmul with an axis of extent 1 where several axes were joined
# mode: trace  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.w=nn.Parameter(torch.randn(1,2,3,4))
    def forward(self, x: Tensor):
        return self.w@x.flatten(0,1)
# SPDX-License-Identifier: Apache-2.0
