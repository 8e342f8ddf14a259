# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  l = [[y, y * 2], [y * 3]]
  h = y
  for t in range(x.size(0)):
    h = h * 0.5 + l[t // 12][0] * x[t]
  return h
# SPDX-License-Identifier: Apache-2.0
