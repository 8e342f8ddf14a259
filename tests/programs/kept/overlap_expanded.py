# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T"]]]
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 5,4
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor, y: Tensor):
  m = x.clone()
  m[1:2].expand(1, -1).add_(y)
  return m
# SPDX-License-Identifier: Apache-2.0
