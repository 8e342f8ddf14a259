# inputs: [["x", "f32", ["B", 3]], ["e", "i64", [2, "T"]], ["v", "f32", ["T"]]]
# sparse matrices that are rectangles, scaled, summed, in lists and in a loop
# mode: script  dynamic: 1  seed: 1  sample: 4,6  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, e: Tensor, v: Tensor):
        n = x.size(0)
        A = torch.sparse_coo_tensor(torch.stack([e[0].abs() % n, e[1].abs() % 5]), v, [n, 5])
        w = torch.arange(20.).view(5, 4) / 8
        h = torch.zeros(4)
        for t in range(n):
            h = torch.tanh((A @ w).sum(0) + h)
        for m in [A, A * 2.0]:
            h = torch.tanh((m @ w).sum(0) - h)
        y = torch.addmm(w[:, :3], A.transpose(0, 1), x), torch.sparse.addmm(x[:, :1], A, w)
        return h, y, A.sum(dim=1).to_dense(), A.to_dense()
# SPDX-License-Identifier: Apache-2.0
