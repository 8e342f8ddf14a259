# SPDX-License-Identifier: Apache-2.0
"""Saves a model with two RMS norms of one's own, as a script keeps them."""
import torch


class Norm(torch.nn.Module):
    eps: float

    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(size) + 0.5)
        self.eps = 1e-3

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(8)
        self.fc = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.fc(self.norm(x))) + x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(), Block())

    def forward(self, x):
        return self.blocks(x)


torch.manual_seed(0)
torch.jit.script(Net().eval()).save("net.pt")
