# SPDX-License-Identifier: Apache-2.0
"""A model that calls an operator of a library: model.py LIBRARY."""
import sys

import torch

torch.ops.load_library(sys.argv[1])


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.ops.signals.delta(x, 2) + torch.ops.signals.delta(x, 2, True) * 0.5


torch.jit.script(Net()).save("net.pt")
