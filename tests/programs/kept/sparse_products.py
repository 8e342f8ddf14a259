# inputs: [["x", "f32", ["B", 3]], ["e", "i64", [2, "T"]], ["v", "f32", ["T"]]]
# products with a sparse matrix
# mode: script  dynamic: 1  seed: 1  sample: 4,6  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, e: Tensor, v: Tensor):
        n = x.size(0)
        A = torch.sparse_coo_tensor(e.abs() % n, v, (n, n))
        y = torch.sparse.mm(A, x)
        return y, A @ y, torch.mm(A.coalesce().t(), x), x.t() @ A, A @ x[:, 0], A.size(0), A.t().shape[1]
# SPDX-License-Identifier: Apache-2.0
