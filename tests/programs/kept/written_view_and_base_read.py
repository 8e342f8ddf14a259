# inputs: [["x", "f32", ["B", "T"]]]
# right: the base is read after the write, and the view is one at all sizes or at none
# mode: trace  dynamic: 1  seed: 0  data: 0  sample: 5,4
import torch
class M(torch.nn.Module):
    def forward(self, x):
        a = x * 2
        y = a.t().reshape(-1)
        y += 1
        b = x + 1
        c = b.contiguous()
        c *= 3
        return y, a * 2, b + c
# SPDX-License-Identifier: Apache-2.0
