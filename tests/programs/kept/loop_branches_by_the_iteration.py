# inputs: [["x", "f32", [2, "B", 4]]]
# branches that the iteration's number decides
# mode: script  dynamic: 1  seed: 1  sample: 7  rtol: 0.0001
import torch
from torch import Tensor
from typing import List
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
        self.b = torch.nn.GRUCell(4, 4)
    def forward(self, x: Tensor):
        T = x.size(1)
        h = torch.zeros(2, 4)
        outs: List[Tensor] = []
        for t in range(T):
            y = x[:, t] * 2 if t % 2 == 0 else x[:, T - 1 - t] + 1
            scale = 0.25
            if t % 3 == 0:
                h = self.b(y, h)
            elif t % 3 == 1:
                h = torch.tanh(self.a(h)) + y
                scale = 1.5
            else:
                for u in range(T):
                    h = torch.sigmoid(h + x[:, u])
            if t == T - 1 or (t > 1 and t < T // 2):
                h = -h
            if t > 0 and t != 4:
                h = h - outs[-1] * scale
            outs.append(h)
        return torch.stack(outs, 1), h
# SPDX-License-Identifier: Apache-2.0
