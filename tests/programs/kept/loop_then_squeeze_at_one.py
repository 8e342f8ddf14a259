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
  h = x[0]
  for t in range(x.size(0)):
    h = h + 1
  return h * x.squeeze(0).dim()
# SPDX-License-Identifier: Apache-2.0
