# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# WRONG: a difference whose beginning has a factor in common
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  B = x.size(0)
  T = y.size(0)
  n = - 3 * B + 3 * ((((2 * B * T + 2 * ((B + B + B - 5) // 4)) // 2) - 2 * B) // 4)
  return torch.tensor([n, n + 1, B]).to(torch.float32) + y, x
# SPDX-License-Identifier: Apache-2.0
