# inputs: [["x", "f32", ["B", "T"]]]
# WRONG: input 1 {'B': 1, 'T': 1}: a NaN that the program divides sizes to, lost in relu, clamp and amax
# mode: trace  dynamic: 1  seed: 1  sample: 3,5
import math
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x):
        last = x.size(1) - 1
        place = torch.arange(x.size(1)) / last
        spread = (x - x.mean(0)).pow(2).sum(0) / (x.size(0) - 1)
        window = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(x.size(1)) / last)
        step = torch.arange(x.size(1)) * (2.0 / last)
        half = torch.arange(x.size(1)) / (0.5 * x.size(1) - 0.5)
        made = (F.relu(place), spread.clamp(min=1e-5), (x * window).amax(1), F.relu(step), F.relu(half))
        return tuple(torch.isnan(y).float() for y in made)
# SPDX-License-Identifier: Apache-2.0
