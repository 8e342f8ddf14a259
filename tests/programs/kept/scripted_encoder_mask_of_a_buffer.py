# inputs: [["x", "f32", ["B", "T", 6]]]
# REFUSED: torch compares the mask with a causal one, and chooses a faster kernel by it
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,7  rtol: 0.0001
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
        self.register_buffer('m', nn.Transformer.generate_square_subsequent_mask(80))
    def forward(self, x: Tensor):
        T = x.size(1)
        return self.a(x, self.m[:T, :T])
# SPDX-License-Identifier: Apache-2.0
