# SPDX-License-Identifier: Apache-2.0
# inputs: [["x", "f32", ["B", "T", 3]]]
# refused: the result of aten::slice.Tensor is of another shape in each iteration
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 4,5  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def forward(self, x: Tensor):
        outs: List[Tensor] = []
        h = torch.zeros_like(x[:, 0])
        for i in range(x.size(1)):
            weights = torch.softmax(x[:, i:i + 1] @ x[:, :i + 1].transpose(1, 2), -1)
            h = h * 0.5 + (weights @ x[:, :i + 1]).squeeze(1)
            outs.append(h + x[:, :i + 1].mean(1) - x[:, i:].amax(1))
        return torch.stack(outs, 1)
# SPDX-License-Identifier: Apache-2.0
