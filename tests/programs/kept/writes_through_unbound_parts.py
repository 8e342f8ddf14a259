# inputs: [["x", "f32", ["B", "T", 4]], ["y", "f32", [3, "B", "T"]]]
# REFUSED: positions of the parts were constants of the sample's sizes
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 3,5
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        a, b, c = y.unbind()
        b.add_(a)
        c[:, 0] = 1
        x.transpose(1, 2).unbind(1)[-1].mul_(2)
        for part in x.unbind(2):
            part.add_(b)
        return x, y
# SPDX-License-Identifier: Apache-2.0
