# inputs: [["x", "f32", ["B", "T"]]]
# REFUSED: a branch that crops went another way where nothing is cropped
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 2,5  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.size(1) > 6:
            x = x[:, :6]
        return x + 1
# SPDX-License-Identifier: Apache-2.0
