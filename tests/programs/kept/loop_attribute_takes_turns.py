# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
@torch.jit.script
class S:
 def __init__(self, a: Tensor, b: Tensor):
  self.a = a
  self.b = b
 def step(self, c: Tensor):
  self.a = self.b
  self.b = c
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  s = S(y, y * 2)
  h = y
  for t in range(x.size(0)):
    s.step(x[0])
    h = h + x[t]
  return h, s.a
# SPDX-License-Identifier: Apache-2.0
