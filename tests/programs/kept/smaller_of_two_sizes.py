# inputs: [["x", "f32", ["B", "T"]], ["y", "f32", ["T", 5]]]
# Sizes below those in the program were asserted away, though torch cuts off at what there is.
# mode: script  dynamic: 1  seed: 3  sample: 5,6,2
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        n = min(x.size(0), x.size(1))
        square = x[:n, :n] @ x[-n:, -n:]
        last = y[-4:]
        first = y[:4].reshape(last.size(0) * 5) + last.flatten()
        padded = F.pad(y, [0, 0, 0, max(7 - y.size(0), 0)])[:7] @ torch.ones(5, 2)
        return (square, first, padded, torch.diagonal(y, -1), y.sum(1).topk(min(3, y.size(0)))[0],
                torch.zeros(max(x.size(0), x.size(1))) + x.sum(), y[1:6].cumsum(0))
# SPDX-License-Identifier: Apache-2.0
