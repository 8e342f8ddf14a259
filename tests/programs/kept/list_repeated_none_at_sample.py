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
  l = [1, 2]
  l *= (x.size(0) // 9)
  return x * len(l)
# SPDX-License-Identifier: Apache-2.0
