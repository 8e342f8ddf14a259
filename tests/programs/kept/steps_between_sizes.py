# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# NORUN: tract joins what products with sizes say of interest, and takes minutes to load
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  B = x.size(0)
  t = x
  for _ in range(12):
   t = t * 0.5 + t.abs()
  t = t / (B + 1)
  for _ in range(12):
   t = t * 0.5 + t.abs()
  t = t / (B + 2)
  for _ in range(12):
   t = t * 0.5 + t.abs()
  return t * B, t.sum() + y
# SPDX-License-Identifier: Apache-2.0
