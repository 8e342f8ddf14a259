# inputs: [["x", "f32", ["B", "T"]]]
# NORUN: load: TractError: opening file "FILE" <- Caused by: <- 0: running pass declutter <- 1: declutter node #31 "mul_1_last" Scan <- 2: declutter_discard_unused_input <- 3: in output_facts invocation for mul_1_last: Scan <- 4: Condition failed: `self.input_mapping.iter().filter(|m| m.is_state()).count() == self.output_mapping.iter().filter(|m| m.state).count()` (1 vs 2) <- Stack backtrace
# mode: script  dynamic: 1  seed: 5004698  data: 1  sample: 2,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        assert bool((x > 0).any())
        w1 = x.numel()
        while w1 > 0:
            w1 -= 2
            x = x * int(0.5)
            x = x * (x.size(0) // 2)
        return torch.full([2], w1) * x.sum()
# SPDX-License-Identifier: Apache-2.0
