# inputs: [["i", "i64", ["B", 3]]]
# refused: error[model-state]: forward changes 'e.weight', a part of the model
# mode: trace  dynamic: 1  seed: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.e = torch.nn.Embedding(8, 4, max_norm=1.0)
        self.f = torch.nn.Embedding(8, 4, max_norm=2.0, norm_type=1.0)
        self.e.weight.data *= 3
    def forward(self, i):
        return self.e(i % 4), self.e((i + 1) % 4), self.f(i % 8)
# SPDX-License-Identifier: Apache-2.0
