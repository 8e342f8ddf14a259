# inputs: [["x", "f32", ["B", 8]]]
# refused: numbers were no outputs
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 5,4
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        return x * 2, x.size(0) * 2, 3, 0.5, x.size(0) > 3, {'m': x.size(0) / 4}
# SPDX-License-Identifier: Apache-2.0
