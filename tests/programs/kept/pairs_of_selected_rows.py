# inputs: [["x","f32",["T",4]]]
# mode: script  dynamic: 1  seed: 1  data: 1  sample: 5,4,6
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        i = torch.nonzero(torch.cat([x[:, 0], x[:,0]]) > 0).reshape(-1)
        n = i.size(0) // 2
        return i.reshape(n, 2)
# SPDX-License-Identifier: Apache-2.0
