# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
import torch
from torch import Tensor
class M(torch.nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  x = x.clone()
  for t in range(1, x.size(1)):
    x[:, :t].mul_(x[:, t:t+1])
  return x
# SPDX-License-Identifier: Apache-2.0
