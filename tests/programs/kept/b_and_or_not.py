# refused before: truths of data, joined
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        if x.sum() > 0 and not bool(y.max() < 1.5) or bool(z[0] > 1):
            return x * 2
        return x - y
# SPDX-License-Identifier: Apache-2.0
