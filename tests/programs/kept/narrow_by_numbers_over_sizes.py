# inputs: [["x", "f32", [2, "T", 8]]]
# refused: narrow.Tensor, and a write through narrow or a split of an open axis
# mode: trace  dynamic: 1  seed: 0  data: 0  sample: 5,6
import torch
class M(torch.nn.Module):
    def forward(self, x):
        y = x * 1
        y.narrow(1, x.size(1) - 3, 2).mul_(2)
        h, t = y.split([x.size(1) // 2, x.size(1) - x.size(1) // 2], 1)
        t += 1
        return y.narrow(1, x.size(1) - 3, 3) * 2, h.sum(1)
# SPDX-License-Identifier: Apache-2.0
