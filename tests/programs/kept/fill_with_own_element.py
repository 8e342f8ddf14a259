# inputs: [["x", "f32", [6, 3]]]
# mode: script  dynamic: 0  seed: 0  data: 0  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor):
  x = x.clone()
  x.masked_fill_(torch.ones(6, 3) > 0, x[0, 0])
  return x
# SPDX-License-Identifier: Apache-2.0
