# inputs: [["x", "f32", [3, 4]], ["n", "i64", [3, 1]]]
# WRONG: input 0 : positions and signs of the NaN of a row whose keys are all hidden
# mode: script  dynamic: 0  seed: 1
import math
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, n: Tensor):
        p = x.masked_fill(torch.arange(4) >= n, float("-inf")).softmax(1)
        first = p[:, 0].round()
        bounds = torch.tensor([0.1, 0.5])
        return (
            first.argmax(),
            first.argmin(0),
            first.max(0)[1],
            first.min(0)[1],
            first.cummax(0)[1],
            first.cummin(0)[1],
            torch.bucketize(p, bounds),
            torch.bucketize(p, bounds, right=True),
            torch.searchsorted(bounds, p),
            p.sign(),
            p.sgn(),
        )
# SPDX-License-Identifier: Apache-2.0
