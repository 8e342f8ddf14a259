# inputs: [["x", "f32", ["B", 4]], ["w", "f32", [4]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor, w: Tensor):
        m = w > 0
        y = x.clone()
        y[:, m] = w[m]
        return y
# SPDX-License-Identifier: Apache-2.0
