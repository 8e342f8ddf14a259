# inputs: [["x", "f32", [4, "B"]]]
# a sparse matrix of the model
# mode: trace  dynamic: 1  seed: 1  sample: 4,6  rtol: 0.0001
import torch
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        i = torch.tensor([[0, 1, 1, 3, 0], [1, 2, 2, 0, 1]])
        self.register_buffer("A", torch.sparse_coo_tensor(i, torch.tensor([1., 2., 3., 4., .5]), (4, 4)))
        self.register_buffer("K", torch.eye(4).to_sparse())
    def forward(self, x: Tensor):
        return torch.sparse.mm(self.A, x), self.A @ x, self.A.t() @ x + self.K @ x, self.A.to_dense() @ x, self.A.shape[0]
# SPDX-License-Identifier: Apache-2.0
