# inputs: [["x", "f32", ["B", 3]], ["y", "f32", ["T", 3]]]
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 12,4
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        return x[torch.arange(7, -1, -1)], y
# SPDX-License-Identifier: Apache-2.0
