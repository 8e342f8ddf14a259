# inputs: [["x", "f32", ["B", "T"]]]
# WRONG: m[:, -7:][:, 0:2] begins at 0 where m has fewer
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
  m[:, -3:-1].add_(m[:, -7:][:, 0:2])
  return m
# SPDX-License-Identifier: Apache-2.0
