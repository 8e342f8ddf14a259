# refused before: rows by whole numbers of data
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, z: Tensor):
        i = int(x[0].argmax())
        j = int(y[:, 0].argmin())
        return y[j] * 2, x[:, i], y[j, i], x[j - 4]
# SPDX-License-Identifier: Apache-2.0
