# SPDX-License-Identifier: Apache-2.0
"""Tensors that are quantised by a scale which follows from an input, of zeros too: LibTorch then gives the highest integer."""

import torch
from torch import nn

from compare import Case


class ByNumber(nn.Module):
    def forward(self, x):
        q = torch.quantize_per_tensor(x, float(x.abs().max()) / 100.0, 3, torch.qint8)
        return q.dequantize(), q.int_repr(), torch.relu(q).int_repr()


class ByTensors(nn.Module):
    def forward(self, x, y):
        q = torch.quantize_per_tensor(x, y.abs().max(), (y.sum() > 0).to(torch.int64) + 2, torch.quint8)
        return q[1:].transpose(0, 1).int_repr(), q.q_zero_point() + x


def scales():
    numbers = [[torch.randn(3, 4)], [torch.zeros(3, 4)], [-torch.rand(3, 4)], [torch.randn(3, 4) * 1e4]]
    pairs = [[x, y] for (x,), y in zip(numbers, (torch.rand(2), -torch.rand(2), torch.zeros(2), torch.ones(2)))]
    return {
        "scale_by_number": Case(ByNumber(), numbers, kinds=("scripted",)),
        "scale_by_tensors": Case(ByTensors(), pairs, kinds=("scripted",)),
    }
