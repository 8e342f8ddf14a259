# refused: a scan of complex tensors
# inputs: [["x", "f32", [4, 6]]]
# mode: script  dynamic: 0  seed: 0  data: 0  roll: 1
from typing import Dict, List, Optional, Tuple
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        z = torch.complex(x[0], x[1])
        for i in range(4):
            z = z * torch.complex(x[2], x[3])
        return z.real, z.imag
# SPDX-License-Identifier: Apache-2.0
