# inputs: [["x", "f32", ["B", 8]]]
# refused: the dictionary's tensors counted as data
# mode: script  dynamic: 1  seed: 0  data: 0  sample: 5,4
from collections import OrderedDict
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        d = OrderedDict([('a', x * 2), ('b', x)])
        e = dict(d)
        e['a'] = x + 1
        f: Dict[str, Tensor] = {}
        for k, v in d.items():
            f[k + '2'] = v + e[k]
        return f
# SPDX-License-Identifier: Apache-2.0
