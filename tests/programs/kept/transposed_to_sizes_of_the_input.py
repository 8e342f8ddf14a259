# inputs: [["x", "f32", ["B", 2, "T", 8]]]
# output_size of transposed convolutions that follow from sizes
# mode: script  dynamic: 1  seed: 1  sample: 2,7  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Conv2d(2, 3, 3, 3, 1)
        self.d = torch.nn.ConvTranspose2d(3, 2, 3, 3, 1, bias=False)
        self.e = torch.nn.ConvTranspose2d(3, 2, 2, 3)
        self.p = torch.nn.Conv2d(2, 3, 2, 3)
    def forward(self, x: Tensor):
        y = self.c(x)
        z = torch.relu(self.d(y, output_size=x.size()))
        return z, self.e(self.p(z), output_size=[z.size(2), z.size(3)])
# SPDX-License-Identifier: Apache-2.0
