# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# NORUN: a state that is not read, as what is made of it is 0
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  h = z[0]
  for t in range(x.size(0)):
    h = (h & 0) * 2 + t
  return h
# SPDX-License-Identifier: Apache-2.0
