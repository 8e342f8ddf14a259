# inputs: [["x", "f32", [1, "B", "T"]], ["k", "f32", ["T"]]]
# refused: internal error: shape.cpp:173: the size 'H' is symbolic where an integer is needed
# mode: trace  dynamic: 1  seed: 0
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x, k):
        a = torch.fft.rfft2(x, s=(x.shape[-2], x.shape[-1]), norm='ortho')
        n = x.size(1) + k.size(0) - 1
        y = torch.fft.irfft(torch.fft.rfft(x[0, :, 0], n=n) * torch.fft.rfft(k, n=n), n=n)
        return torch.fft.irfft2(a * 2, s=x.shape[-2:], norm='ortho'), y, torch.fft.fft2(x).abs()
# SPDX-License-Identifier: Apache-2.0
