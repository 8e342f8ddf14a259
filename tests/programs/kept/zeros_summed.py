# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# NORUN: a sum of a product with 0
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  w = z > 1
  return w * 0, w * 3 * 0, w * x.size(0), (w * 0).sum()
# SPDX-License-Identifier: Apache-2.0
