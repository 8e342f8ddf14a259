# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# WRONG: (3*T + 2)/4 - 5 is one off
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  T = y.size(0)
  n = (3 * T - 2) // 4 - 4
  return torch.arange(n, n + 3), x + y[:1]
# SPDX-License-Identifier: Apache-2.0
