# inputs: [["x", "f32", ["B", 4]]]
# refused: error[dynamic-size]: aten::linalg_matrix_exp: the size of its result cannot be expressed in the dynamic axes
# mode: trace  dynamic: 1  seed: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.w = torch.nn.Parameter(torch.randn(4, 4))
    def forward(self, x):
        w = torch.matrix_exp(self.w.tril() - self.w.tril().t())
        q, r = torch.linalg.qr(self.w)
        u, s, v = torch.linalg.svd(self.w)
        e, _ = torch.linalg.eigh(self.w + self.w.t())
        p, low, up = torch.linalg.lu(self.w)
        h = torch.linalg.householder_product(*torch.geqrf(self.w))
        return x @ w, x @ q, x * s, x * e, x @ (p @ low @ up), x @ h, x @ torch.linalg.pinv(self.w)
# SPDX-License-Identifier: Apache-2.0
