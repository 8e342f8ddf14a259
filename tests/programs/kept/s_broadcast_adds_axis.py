# inputs: [["x", "f32", [4, 3]], ["y", "f32", [3]]]
# NORUN: tract loses the axis that a broadcast adds in front of a product
# mode: script  dynamic: 0  seed: 80016500
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)
    def forward(self, x: Tensor, y: Tensor):
        a1 = x[..., :2]  #@fill.ell
        a2 = x.sum()  #@tens.sum
        a3 = {'a': (a2 * 2)}  #@Tensor.dupd
        a3.update({'a': a2})
        a4 = [a3]  #@Dict[str, Tensor].list
        a4[0]['b'] = a4[0]['a']  #@List[Dict[str, Tensor]].set
        a5 = a4[0]
        a6 = {'z': x}  #@Dict[str, Tensor].update
        a6.update(a5)
        a7 = a6  #@Dict[str, Tensor].alias
        a7['z'] = a2
        a8 = a7['a']  #@sink.Dict[str, Tensor].a
        a9 = min(x.size(0), y.size(0))  #@size.min
        a10 = x[0].expand(abs(a9) % 3 + 1, 3)  #@sink.int.expand
        a12 = self.lin(a10)  #@fill.lin
        return (a8, a10, a12)

# SPDX-License-Identifier: Apache-2.0
