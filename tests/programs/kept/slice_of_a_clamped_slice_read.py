# inputs: [["x", "f32", ["B", "T"]]]
# WRONG: the same, where it is read
# mode: script  dynamic: 1  seed: 0  data: 1  sample: 3,5
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
 def forward(self, x: Tensor):
  m = x.clone()
  m[:, -2:].add_(m[:, -9:][:, 1:3])
  return m
# SPDX-License-Identifier: Apache-2.0
