# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]], ["m", "bool", [4]], ["n", "bool", [4]]]
# mode: script  dynamic: 0  seed: 5007946  data: 1
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor, m: Tensor, n: Tensor):
        k = m.clone()
        k += n
        return m + n, m + 1, m * n, torch.add(m, n, alpha=2), torch.add(m, z, alpha=2), torch.add(m, x[:, 0], alpha=2), k, m + True, z + m, x[:, 0] - m.float(), torch.add(m, 2, alpha=3), torch.add(z, m), torch.rsub(z, 1), torch.add(z.to(torch.int8), 100, alpha=2)
# SPDX-License-Identifier: Apache-2.0
