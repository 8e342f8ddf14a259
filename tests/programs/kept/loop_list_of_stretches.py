# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 20,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  l = [y[0]] * x.size(0) + [y[1]] * 30
  h = x[0]
  for t in range(y.size(0)):
    h = h * 0.5 + l[t]
  return h
# SPDX-License-Identifier: Apache-2.0
