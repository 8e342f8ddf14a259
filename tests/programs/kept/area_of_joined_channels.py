# inputs: [["x", "f32", [3, 3, 7, 8]]]
# a resizing by areas after pixel_unshuffle: its matrix had axes that tract splits
# mode: script  dynamic: 0  seed: 54005739  data: 0  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(19)
        self.m1 = nn.Upsample(scale_factor=2, mode='bilinear')
        for p in list(self.parameters()) + list(self.buffers()):
            if p.is_floating_point():
                p.add_((torch.rand_like(p) - 0.5) / 4)
    def forward(self, x: Tensor):
        v1 = x * (x.shape[0] / (x.shape[0] + 1))
        v2 = self.m1(v1)
        v5 = F.pixel_unshuffle(F.pad(v2, [0, v2.shape[3] % 2, 0, v2.shape[2] % 2]), 2)
        v6 = F.interpolate(v5, scale_factor=0.5, mode='area')
        return v6
# SPDX-License-Identifier: Apache-2.0
