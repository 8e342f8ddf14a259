# inputs: [["x", "f32", ["B", 2, "W"]]]
# REFUSED: borders of an open amount were filled with a number only
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 2,4,9  rtol: 0.0001
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        return F.pad(x, (0, x.size(2) % 2), mode='reflect')
# SPDX-License-Identifier: Apache-2.0
