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
  l = [y, y * 2]
  h = y
  for t in range(x.size(0)):
    h = h + x[t]
    l[0] = l[1]
    l[1] = y * 3
  return h, l[0]
# SPDX-License-Identifier: Apache-2.0
