# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# NORUN: a product with a full tensor minus itself
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  n = torch.full([3], x.size(0))
  return z * (n - n) * 2, x
# SPDX-License-Identifier: Apache-2.0
