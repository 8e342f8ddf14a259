# WRONG: tract takes constants that are equal for one, 0.0 and -0.0 too
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = [torch.zeros(6), -torch.zeros(6), torch.tensor([-0.0, 0.0, 2.0, -0.0, -4.0, 1.0])]
    def forward(self, x: Tensor):
        a = x[1].abs() + 1
        return torch.atan(a / self.ws[0]), torch.atan(a / self.ws[1]), torch.atan(a / self.ws[2]), torch.atan(a / 0.0), torch.atan(a / -0.0)
# SPDX-License-Identifier: Apache-2.0
