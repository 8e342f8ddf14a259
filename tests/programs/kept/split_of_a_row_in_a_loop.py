# inputs: [["x", "f32", ["B", "T"]]]
# CRASH: exit 1: internal error: infer.cpp:309: the probes differ in arguments
# mode: script  dynamic: 1  seed: 1  data: 0  sample: 4,6
import torch
from typing import List
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        acc = x[:, 0]
        for i in range(x.size(0)):
            for c in x[i].split(2, 0):
                acc = acc + c.sum()
        return acc
# SPDX-License-Identifier: Apache-2.0
