# inputs: [["x", "f32", ["B", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor):
  a = torch.zeros(3)
  b = torch.ones(3)
  for t in range(min(x.size(0), 7)):
    a, b = b, a
  return x + a
# SPDX-License-Identifier: Apache-2.0
