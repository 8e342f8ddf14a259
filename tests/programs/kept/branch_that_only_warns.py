# inputs: [["x", "f32", ["B", "T"]]]
# REFUSED: B <= T was asserted, and both ways compute nothing
# mode: script  dynamic: 1  seed: 1  sample: 2,4
import warnings
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] > x.shape[1]:
            warnings.warn('odd batch')
        return x * 2
# SPDX-License-Identifier: Apache-2.0
