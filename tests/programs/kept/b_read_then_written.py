# wrong before: a number read, then its tensor written
# inputs: [["x", "f32", []]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y=x.clone(); n=float(y.item()); a=y*n; y.add_(1)
        return a, y*n
# SPDX-License-Identifier: Apache-2.0
