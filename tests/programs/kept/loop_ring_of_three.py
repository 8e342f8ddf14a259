# inputs: [["x", "f32", [2, "B", 4]]]
# places that are remainders and quotients of the iteration's number
# mode: script  dynamic: 1  seed: 1  sample: 7  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        w = torch.arange(24.).view(2, 3, 4) / 10
        buf = torch.zeros(2, 3, 4)
        h = torch.zeros(2, 4)
        for t in range(x.size(1)):
            h = torch.tanh(x[:, t] + buf[:, t % 3] - w[:, 2 - (t * t) % 3] + x[:, t // 2])
            buf[:, t % 3] = h
            buf[:, (t + 1) % 3:(t + 1) % 3 + 1] *= 0.5
        g = torch.zeros(2, 4)
        for t in range(1, x.size(1), 2):
            g = torch.tanh(g + w[:, (t // 2) % 3] * x[:, t])
        return h, buf, g
# SPDX-License-Identifier: Apache-2.0
