# inputs: [["x", "f32", ["B", "T", 8]]]
# refused: a condition on sizes that holds always was not proven
# mode: trace  dynamic: 1  seed: 1  data: 1  sample: 5,4,6  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
class M(nn.Module):
    def forward(self, x: Tensor):
        b,t,c=x.shape; w=2
        p=(2*w-t%(2*w))%(2*w); x=F.pad(x,(0,0,0,p)); t=x.size(1)
        x=x.contiguous().view(b,t//(2*w),2*w,c)
        s=list(x.size()); s[1]=s[1]*2-1; st=list(x.stride()); st[1]=st[1]//2
        y=x.as_strided(s,st)
        return torch.einsum('bcxd,bcyd->bcxy',y,y)
# SPDX-License-Identifier: Apache-2.0
