# refused before: turns of a loop that data leaves out
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        s = torch.zeros(3)
        n = 0
        for i in range(4):
            if int(z[i]) == 1:
                continue
            s = s + x[i] * n
            n += 1
        return s / (n + 1)
# SPDX-License-Identifier: Apache-2.0
