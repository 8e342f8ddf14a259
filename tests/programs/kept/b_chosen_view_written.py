# wrong before: a value and its view, chosen together, then written
# inputs: [["x", "f32", [4, 3]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        if bool(x.mean() > 0):
            y = x + 2
            z=y.view(-1)
        else:
            y = x * 3
            z=y.view(-1)
        z.add_(1)
        return y,z
# SPDX-License-Identifier: Apache-2.0
