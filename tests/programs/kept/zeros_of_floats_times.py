# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# WRONG: the same in floats
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  n = torch.full([x.size(0)], z.size(0), dtype=torch.float32)
  return (n - n) * 2, z
# SPDX-License-Identifier: Apache-2.0
