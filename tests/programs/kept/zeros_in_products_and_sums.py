# inputs: [["x", "f32", ["B", 3]], ["z", "i64", ["T", 3]]]
# NORUN: sums, products and joins of zeros that tract knows of
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, z: Tensor):
  return (z & 0) @ z.t(), (z & 0).sum(0), torch.cat([z & 0, z]), (z & 0).float() * 2
# SPDX-License-Identifier: Apache-2.0
