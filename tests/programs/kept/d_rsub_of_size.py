# inputs: [["x", "f32", ["B", 3]]]
# REFUSED: aten::rsub.Tensor, which the number becomes, had no translation
# mode: script  dynamic: 1  seed: 3
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        return torch.rsub(x, x.size(0) ** 0.5, alpha=2)
# SPDX-License-Identifier: Apache-2.0
