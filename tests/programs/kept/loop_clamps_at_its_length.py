# a bound that follows from a size, in the body of a loop
# inputs: [["y", "f32", ["B", 3]]]
# mode: script  dynamic: 1  seed: 1  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, y: Tensor):
        for i in range(y.size(0)):
            y = y.clamp(min=y.size(0)) - i
        return y
# SPDX-License-Identifier: Apache-2.0
