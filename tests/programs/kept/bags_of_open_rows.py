# inputs: [["i", "i64", ["B", "T"]], ["w", "f32", ["B", "T"]]]
# needless refusal: offsets of bags of an open size, arange with an open step
# mode: trace  dynamic: 1  seed: 1  sample: 2,3  rtol: 0.0001
import torch
import torch.nn as nn
from torch import Tensor
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.mean = nn.EmbeddingBag(6, 4, mode="mean")
        self.sum = nn.EmbeddingBag(6, 4, mode="sum")
        self.max = nn.EmbeddingBag(6, 4, mode="max")
        self.padded = nn.EmbeddingBag(6, 4, mode="mean", padding_idx=2)
        self.most = nn.EmbeddingBag(6, 4, mode="max", padding_idx=1)

    def forward(self, i, w):
        i = i.abs() % 6
        steps = torch.arange(0, i.numel(), i.size(1))
        return self.mean(i), self.sum(i, None, w), self.max(i), self.padded(i), self.most(i), self.sum(i), steps
# SPDX-License-Identifier: Apache-2.0
