# inputs: [["x", "f32", ["B", 8]]]
# refused: the number after mul_, add_ and floor_divide_ was no expression
# mode: trace  dynamic: 1  seed: 0  data: 0  sample: 5,4
import torch
class M(torch.nn.Module):
    def forward(self, x):
        n = x.shape[0] * 1
        m = n + 1
        n *= 4
        d = x.shape[0] + 3
        d //= 2
        d -= 1
        return x.reshape(n, 2) * 2.0, x.new_ones(m, d) * x.sum()
# SPDX-License-Identifier: Apache-2.0
