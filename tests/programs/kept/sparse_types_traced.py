# inputs: [["x", "f32", [4, 3]], ["e", "i64", [2, 6]], ["v", "f32", [6]]]
# sparse matrices in other types, and on a device
# mode: trace  dynamic: 0  seed: 1  sample: 4,6  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        i = torch.tensor([[0, 1, 1, 2, 0], [1, 2, 2, 0, 1]])
        self.register_buffer("A", torch.sparse_coo_tensor(i, torch.tensor([1., 2., 3., 4., .5]), (3, 3)))
    def forward(self, x: Tensor, e: Tensor, v: Tensor):
        n = x.size(0)
        A = torch.sparse_coo_tensor(e.abs() % n, v, (n, n)).to(x.device)
        y = A.to(torch.float64) @ x.double()
        z = self.A.to(x.dtype).double().t() @ x.t().double()
        return y, z, A.clone().to(torch.float32).coalesce() @ x, (self.A * 2).to(x.device).t() @ x.t(), self.A.clone().to_dense(), self.A.coalesce().sum(dim=0).to_dense()
# SPDX-License-Identifier: Apache-2.0
