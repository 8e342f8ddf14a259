# norun: found by hand; tract refused the scan, or found no end
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
  o: List[Tensor] = []
  for i in range(x.size(0)):
    o.append(torch.cat([x[i], torch.ones(2)]))
  return torch.stack(o)
# SPDX-License-Identifier: Apache-2.0
