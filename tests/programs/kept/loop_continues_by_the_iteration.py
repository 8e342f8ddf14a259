# inputs: [["x", "f32", [2, "B", 4]]]
# loops that torch turns into while loops, as they have `continue`
# mode: script  dynamic: 1  seed: 1  sample: 7  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        T = x.size(1)
        h = torch.zeros(2, 4)
        for t in range(T):
            if t == 0:
                continue
            h = torch.tanh(h + x[:, t])
        g = h
        for t in range(T):
            g = torch.tanh(g + x[:, t])
            if t % 2 == 1:
                continue
            g = g * 2 - x[:, t]
        return h, g
# SPDX-License-Identifier: Apache-2.0
