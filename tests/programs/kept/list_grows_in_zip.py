# inputs: [["x", "f32", ["B"]], ["y", "f32", [2, 3]]]
# a length that extend marked in a loop was counted again at the end of the loop
# mode: script  dynamic: 1  seed: 54010840  data: 0  sample: 7,3
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        l1: List[Tensor] = [y] * (y.size(0) // 2)
        if x.size(0) > 5:
            for u3, e4 in zip(y.unbind(0), y.unbind(0)):
                l1 += list(u3.unbind(0))
            l1[0].add_(len(x))
        elif x.size(0) > 4:
            l1[-1].add_((y.size(1) // (2 if y.size(0) > 3 else 3)))
            l1.append(torch.cat([u6 * (x.size(0) % 2) for u6 in l1]))
        else:
            l1[0][0] = max(1.5, 0.5)
            l1.append(y.sum(y.numel() % 2))
        return y * len(l1), torch.tensor([len(l1), len(l1)])
# SPDX-License-Identifier: Apache-2.0
