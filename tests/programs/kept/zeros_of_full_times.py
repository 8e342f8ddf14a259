# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# WRONG: tract 0.23 replaces a full tensor times 0, times 2, by one element
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  n = torch.full([x.size(0)], z.size(0))
  return n * 0 * 2, z
# SPDX-License-Identifier: Apache-2.0
