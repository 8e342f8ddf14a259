# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]], ["m", "bool", [4]]]
# mode: script  dynamic: 0  seed: 5007946  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor, m: Tensor):
        a = torch.zeros(4, dtype=torch.float32)
        torch.add(m, m, out=a)
        b = torch.zeros(4, dtype=torch.float64)
        torch.exp(x[:, 0], out=b)
        c = torch.zeros(4, dtype=torch.int64)
        torch.mul(z.to(torch.int32) * 100000, z.to(torch.int32) * 100000, out=c)
        d = torch.zeros(3, dtype=torch.float64)
        torch.sum(x, [0], out=d)
        e = torch.zeros(4, dtype=torch.float32)
        torch.gt(x[:, 0], x[:, 1], out=e)
        f = torch.zeros(4, dtype=torch.int32)
        torch.cumsum(z, 0, out=f)
        g = torch.zeros(4, 3)
        torch.add(x, 1, out=g)
        return a, b * 2, c, d, e, f, g
# SPDX-License-Identifier: Apache-2.0
