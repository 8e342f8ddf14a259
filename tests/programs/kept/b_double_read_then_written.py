# wrong before: a number read from a tensor of doubles that is written later
# inputs: [["x", "f32", [4, 3]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        s=x.double().sum(0)[1].reshape([])
        n=s.item()
        b=float(n)
        c=x*b
        s.mul_(2)
        return s*b+c.sum()
# SPDX-License-Identifier: Apache-2.0
