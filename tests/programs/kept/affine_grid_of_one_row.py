# inputs: [["x", "f32", ["B", 2, "H", "W"]], ["t", "f32", ["B", 2, 3]]]
# REFUSED: H <= W and H >= 2 were asserted, for a warning of torch's own
# mode: script  dynamic: 1  seed: 1  sample: 2,4,6  rtol: 0.001
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, t: Tensor):
        return F.affine_grid(t, [x.shape[0], 2, x.shape[2], x.shape[3]], align_corners=True)
# SPDX-License-Identifier: Apache-2.0
