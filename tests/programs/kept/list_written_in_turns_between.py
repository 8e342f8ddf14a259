# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  z = torch.zeros(3)
  B = x.size(0)
  l = [z] * (B + 2)
  for i in range(B):
    l[i + 1] = x[i] * 2
  return torch.stack(l), l[0], l[-1], l[1], l[-2]
# SPDX-License-Identifier: Apache-2.0
