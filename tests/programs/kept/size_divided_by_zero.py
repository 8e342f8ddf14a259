# inputs: [["x", "f32", ["B"]], ["z", "i64", ["T"]]]
# mode: script  dynamic: 1  seed: 5003963  data: 0  sample: 5,4
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        return x.unflatten(0, [x.size(0) % 2, -1]) * 2
# SPDX-License-Identifier: Apache-2.0
