# a branch changes an element of a list that was there before
# inputs: [["x", "f32", [4, 3]], ["m", "bool", [4]]]
# mode: script  dynamic: 0  seed: 1  data: 1
from typing import List
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, m: Tensor):
        ll: List[List[int]] = [[1, 2], [3]]
        if bool(m.sum() > 1):
            ll[0][0] = 7
        return torch.tensor([ll[0][0]])
# SPDX-License-Identifier: Apache-2.0
