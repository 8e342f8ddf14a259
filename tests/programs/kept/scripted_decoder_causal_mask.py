# inputs: [["x", "f32", ["B", "T", 6]], ["y", "f32", ["B", "S", 6]]]
# REFUSED: torch compares the mask with a causal one, and chooses a faster kernel by it
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
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
        self.a = nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8, batch_first=True), 2)
    def forward(self, x: Tensor, y: Tensor):
        T = x.size(1)
        m = torch.triu(torch.ones(T, T) * float('-inf'), diagonal=1) if T > 100000 else torch.triu(torch.full((T, T), float('-inf')), diagonal=1)
        return self.a(x, y, tgt_mask=m)
# SPDX-License-Identifier: Apache-2.0
