# inputs: [["x", "f32", ["B", "T", 6]]]
# REFUSED: torch compares the mask with a causal one, and chooses a faster kernel by it
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,5,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True), 2)
    def forward(self, x: Tensor):
        T = x.size(1)
        m = torch.triu(torch.ones(T, T, dtype=torch.bool), 1) | torch.tril(torch.ones(T, T, dtype=torch.bool), -7)
        return self.a(x, m)
# SPDX-License-Identifier: Apache-2.0
