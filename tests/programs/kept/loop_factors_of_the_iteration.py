# inputs: [["x", "f32", [2, "B", 4]]]
# numbers that follow from the iteration's
# mode: script  dynamic: 1  seed: 1  sample: 7  rtol: 0.0001
import torch, math
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        T = x.size(1)
        h = torch.zeros(2, 4)
        for t in range(T):
            h = torch.tanh(h + x[:, t] * (t / T) + torch.full((2, 1), t) * 0.1)
            h = h * 0.9 ** t + torch.full_like(h, t * t % 5) * math.exp(-0.1 * t)
            h = (h / (T - t)).clamp(max=math.sqrt(t)) + torch.tensor(t / 4)
            g = torch.zeros(2, 4)
            for u in range(1, T):
                g = g + torch.full((4,), float(u)) * (t / (u + 1)) * h
            h = h + torch.sin(g)
        return h
# SPDX-License-Identifier: Apache-2.0
