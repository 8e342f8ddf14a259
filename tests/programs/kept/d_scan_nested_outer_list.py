# crash: found by hand; refused now, as no scan holds what a loop inside collects beyond its iteration
# inputs: [["x", "f32", ["B", "T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor):
  o: List[Tensor] = []
  for b in range(x.size(0)):
    for i in range(x.size(1)):
      o.append(x[b, i]*2)
  return o[0], o[-1]
# SPDX-License-Identifier: Apache-2.0
