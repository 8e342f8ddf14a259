# inputs: [["x", "f32", ["B", 3, 8]]]
# held for B == 1 only, or the probes differed: nothing reads the base after the write
# mode: trace  dynamic: 1  seed: 0  data: 0  sample: 1,4
import torch
class M(torch.nn.Module):
    def forward(self, x):
        y = (x * 2).permute(0, 2, 1).reshape(x.shape[0], 8, 3)
        y += 1
        y[:, 1:] *= 3
        z = (x + 1).transpose(0, 1).contiguous()
        z += 2
        s = z.shape[1]
        return y.mean(1), z.reshape(3, s * 8)
# SPDX-License-Identifier: Apache-2.0
