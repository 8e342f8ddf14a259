# inputs: [["x", "f32", ["B"]], ["y", "f32", ["T"]]]
# NORUN: the same of means
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  return x[: x.size(0) // 2].mean() + y
# SPDX-License-Identifier: Apache-2.0
