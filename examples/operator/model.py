# SPDX-License-Identifier: Apache-2.0
"""Saves a model that calls an operator of a library of one's own, mine::swish."""
import torch

library = torch.library.Library("mine", "DEF")
library.define("swish(Tensor x, Scalar beta=1.0) -> Tensor")
library.impl("swish", lambda x, beta=1.0: x * torch.sigmoid(beta * x), "CompositeExplicitAutograd")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.ops.mine.swish(self.fc(x), 1.5)


torch.manual_seed(0)
torch.jit.trace(Net().eval(), torch.randn(2, 8)).save("net.pt")
