# inputs: [["x", "f32", [4, 6]]]
# right: what is written and read is told apart
# mode: script  dynamic: 0  seed: 0  data: 0
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = x * 2
        y[:, :-1] = y[:, 1:]
        y[:-1] = y[1:].clone()
        y[::2] += y[1::2]
        y[:, 0] = y[:, 1]
        y += y
        return y
# SPDX-License-Identifier: Apache-2.0
