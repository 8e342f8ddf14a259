# inputs: [["x","f32",["T",1000]]]
# mode: script  dynamic: 1  rtol: 0.0001 seed: 1  data: 1  rtol: 0.0001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        y = torch.fft.fft(x, dim=0)
        return y.real, y.imag, y.real.argmax(0), torch.fft.fft(x[:,:1], dim=1).real.argmax(1)
# SPDX-License-Identifier: Apache-2.0
