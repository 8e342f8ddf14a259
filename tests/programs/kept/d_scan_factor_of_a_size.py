# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 4,4
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        for i in range(y.size(0)):
            y = y * torch.tensor([x.size(0) % 2])
        return y
# SPDX-License-Identifier: Apache-2.0
