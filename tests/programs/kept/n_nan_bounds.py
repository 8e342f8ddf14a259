# WRONG before: a NaN among bounds lost
# inputs: [["x", "f32", [4, 3]], ["y", "f32", [3]]]
# mode: script  dynamic: 0  seed: 0  data: 1
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        nan = float("nan")
        rows = y / y
        clamped = (torch.clamp(x, min=nan), torch.clamp(x, nan, 1.0), torch.clamp(x, min=rows),
                   torch.clamp(x, 0.0, float(rows.sum())), torch.clamp(x, 2.0, 1.0))
        masks = [torch.isnan(clamped[0]), torch.isnan(clamped[1]), torch.isnan(clamped[2]), torch.isnan(clamped[3])]
        limited = torch.maximum(x, torch.tensor([nan, 0.0, 1.0])), torch.fmax(x, torch.tensor(nan))
        return masks, clamped[4], torch.isnan(limited[0]), limited[1]
# SPDX-License-Identifier: Apache-2.0
