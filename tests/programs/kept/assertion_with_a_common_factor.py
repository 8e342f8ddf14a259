# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# NORUN: tract crashes on 2*(2*(B/4)/3 - T) <= 1
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
  T = y.size(0)
  if 2 * ((2 * (B // 4)) // 3) - 2 * T <= 1:
    return x * 2, y
  return x, y
# SPDX-License-Identifier: Apache-2.0
