# WRONG before: boundaries are integers, the number that is read is none; torch compares in f32
# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        s = float(x.sum())
        edges = torch.sort(z)[0]
        reals = torch.sort(x[:, 0])[0]
        return torch.searchsorted(edges, s), torch.searchsorted(edges, s + 0.5, right=True), torch.bucketize(s - 0.25, edges), torch.searchsorted(reals, s), torch.searchsorted(edges, 0.5), torch.bucketize(x, edges)
# SPDX-License-Identifier: Apache-2.0
