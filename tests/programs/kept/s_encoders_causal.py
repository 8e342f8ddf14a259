# inputs: [["x", "f32", [2, 5, 8]]]
# mode: script  dynamic: 0  seed: 1
"""Encoders of three layers with one constant mask: floats and booleans, norms before and after, batch first or not."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class Enc(torch.nn.Module):
    def __init__(self, first: bool, batch: bool, boolean: bool):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(8, 2, 8, batch_first=batch, norm_first=first, activation='gelu')
        self.a = torch.nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        m = torch.nn.Transformer.generate_square_subsequent_mask(5 if batch else 2)
        self.register_buffer('m', m == -math.inf if boolean else m)
    def forward(self, x):
        return self.a(x, self.m)
def traced(*how):
    torch.manual_seed(0)
    with torch.no_grad():
        return torch.jit.trace(Enc(*how).eval(), torch.randn(2, 5, 8), check_trace=False)
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = traced(False, True, True)
        self.b = traced(True, True, False)
        self.c = traced(False, False, False)
    def forward(self, x: Tensor):
        return self.a(x), self.b(x), self.c(x)
# SPDX-License-Identifier: Apache-2.0
