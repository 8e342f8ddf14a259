# inputs: [["x", "f32", ["B", 3, "T", "S"]]]
# NORUN: load: TractError: opening file "FILE" <- Caused by: <- 0: In ModelBuilder::translate <- 1: Wiring root graph body <- 2: Plugging in assignement for "im2col" <- 3: Resolving invocation Identifier("reshape") <- 4: Interrogating registry Identifier("tract_nnef") <- 5: Deserializing op `reshape' <- 6: Can't divide 6*(B+(B)*(T))*(S+2) by 6*B <- Stack backtrace: <- 0: <anyhow::Error>::m
# mode: script  dynamic: 1  seed: 9400801  data: 0  sample: 2,16,16  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(46)
        self.m1 = nn.Conv2d(3, 3, (3, 2), 1, 0, 1, bias=False, padding_mode='replicate')
        self.m2 = nn.Conv2d(3, 8, 1)
        self.m3 = nn.Conv2d(3, 3, 3, 2, padding=1, groups=3)
        for p in list(self.parameters()) + list(self.buffers()):
            if p.is_floating_point():
                p.add_((torch.rand_like(p) - 0.5) / 4)
    def forward(self, x: Tensor):
        v3 = F.unfold(x, (2, 1), padding=1).transpose(1, 2)
        v4 = torch.fft.rfft(v3, dim=2).abs()
        v5 = self.m1(x)
        v6 = F.pixel_shuffle(self.m2(v5), 2)
        v7 = v6.view(v6.shape[0], 2 // 2, 2, v6.shape[2], v6.shape[3]).transpose(1, 2).flatten(1, 2)
        v8 = self.m3(x)
        return v4, v7, v8
# SPDX-License-Identifier: Apache-2.0
