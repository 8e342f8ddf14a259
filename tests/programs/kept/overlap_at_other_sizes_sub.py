# inputs: [["x", "f32", [2, "B"]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor):
  x = x.clone()
  x[:, -2:].sub_(x[:, 1:3])
  return x
# SPDX-License-Identifier: Apache-2.0
