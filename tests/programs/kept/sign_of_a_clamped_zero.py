# inputs: [["x", "f32", [6]]]
# rounding by a sum loses the sign of a zero, which these operations read
# mode: script  dynamic: 0  seed: 1  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = torch.clamp(torch.round(x * 0.25), -3.0, 3.0)
        ones = torch.ones_like(x)
        return torch.addcdiv(ones, ones, y), torch.floor_divide(ones, y), torch.digamma(y), 1 / y, torch.copysign(ones, y)
# SPDX-License-Identifier: Apache-2.0
