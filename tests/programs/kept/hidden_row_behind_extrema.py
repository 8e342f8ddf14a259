# inputs: [["x", "f32", [3, 4]], ["n", "i64", [3, 1]]]
# WRONG: input 0 : the NaN of a row whose keys are all hidden, lost in extrema and in a product with 0
# mode: trace  dynamic: 0  seed: 1
import math
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x, n):
        p = x.masked_fill(torch.arange(4) >= n, float("-inf")).softmax(1)
        none = torch.zeros(3, 4)
        made = (
            torch.norm(p, float("inf"), dim=1),
            torch.linalg.matrix_norm(p, float("-inf")),
            torch.scatter_reduce(none, 0, (x > 0).long(), p, "amax"),
            torch.scatter_reduce(none, 0, (x > 0).long(), p, "amin", include_self=False),
            torch.index_reduce(none, 0, torch.tensor([0, 2, 0]), p, "amax"),
            p.cummax(0)[0],
            p.cummin(1)[0],
            torch.aminmax(p, dim=1)[0],
            p.max(1)[0],
            F.adaptive_max_pool1d(p, 1),
            p * 0.0,
            torch.zeros(4) * p,
        )
        return tuple(torch.isnan(y).float() for y in made)
# SPDX-License-Identifier: Apache-2.0
