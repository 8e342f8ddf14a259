# inputs: [["x", "f32", ["B", "T", 4]]]
# loops that take too few iterations in the sample to be compared
# mode: script  dynamic: 1  seed: 1  sample: 1,2  rtol: 0.0001
import torch
from torch import Tensor
from typing import List
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.GRUCell(4, 4)
    def forward(self, x: Tensor):
        T = x.size(1)
        h = torch.zeros(x.size(0), 4)
        outs: List[Tensor] = []
        for t in range(T):
            if t == 1:
                h = h + 1
            h = self.c(x[:, t] * (t / T), h)
            outs.append(h)
        for t in range(1, T):
            h = torch.tanh(h + x[:, t] - x[:, t - 1])
        return torch.stack(outs, 1), h
# SPDX-License-Identifier: Apache-2.0
