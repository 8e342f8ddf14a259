# SPDX-License-Identifier: Apache-2.0
"""A model that calls two operators of a library: model.py LIBRARY."""
import sys

import torch

torch.ops.load_library(sys.argv[1])


class Net(torch.nn.Module):
    def forward(self, x):
        both = torch.ops.signals.delta(x, 2) + torch.ops.signals.delta(x, 2, True) * 0.5
        return both, torch.ops.signals.joined([x[:, :3], x[:, 3:6] * 2], [1, 2])


torch.jit.script(Net()).save("net.pt")
