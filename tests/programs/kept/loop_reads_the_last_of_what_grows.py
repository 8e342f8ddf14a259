# inputs: [["x", "f32", [2, "B", 4]]]
# iterations that read the last part of what torch.cat has joined
# mode: script  dynamic: 1  seed: 1  sample: 7  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        T = x.size(1)
        a = x[:, :3]
        b = x[:, :1]
        for t in range(3, T):
            c = torch.tanh(a[:, -1] * 2 - b[:, -1] + x[:, t])
            d = torch.sin(b[:, -1] + a[:, -1])
            a = torch.cat([a, c.unsqueeze(1)], 1)
            b = torch.cat([b, d.unsqueeze(1)], dim=-2)
        e = torch.zeros(1, 2, 4)
        for t in range(T):
            e = torch.cat([e, torch.sin(e[-1] + x[:, t]).unsqueeze(0)])
        return a, b, e[1:], e[-1]
# SPDX-License-Identifier: Apache-2.0
