# WRONG before: numbers were rounded to f16 before the kernels that take them as f32 met them; a mask gave NaN
# inputs: [["x", "f32", [4, 3]], ["z", "i64", [4]]]
# mode: script  dynamic: 0  seed: 0  data: 0
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn as nn
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, z: Tensor):
        h = (x / 8192).half()
        big = (x * 1000).half()
        mask = (1 - (x > 0).half()) * -1e9
        by_tensor = h * torch.tensor(1e5), h / torch.tensor(1e-6), torch.tensor(65504) * h, h * x.sum()
        divided = big / 1e5, big / 100000, h / 1e-8, big // 0.3, torch.div(big, 0.7, rounding_mode="trunc")
        slopes = torch.nn.functional.leaky_relu(h, 1e5), torch.nn.functional.leaky_relu(big, 1e-8)
        by_data = h / h.abs().max().clamp(min=1e-4)
        return (h * 1e5, h * 100000, big * 1e-8, mask, by_tensor, divided, slopes, by_data,
                torch.round(big, decimals=1), h * 0.25, big / 8)
# SPDX-License-Identifier: Apache-2.0
