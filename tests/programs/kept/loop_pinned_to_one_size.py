# inputs: [["x", "f32", ["B", 3]]]
# NORUN: load: TractError: opening file "FILE" <- Caused by: <- 0: running pass declutter <- 1: declutter node #23 "mul_all" Scan <- 2: declutter_body <- 3: running pass PropConst(0) <- 4: Eager eval #16 "mul_all_squeeze" RmAxis during optimisation <- 5: Remove a non-1 axis: axis 0 in 6,I64 0, 1, 2, 3, 4, 5 <- Stack backtrace: <- 0: <anyhow::Error>::msg::<alloc::string::String> <- 1: <tract_
# mode: script  dynamic: 1  seed: 7111412  data: 1  sample: 5,4
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        l1: List[List[int]] = x.long().tolist()
        x = x + x.relu()
        l3: List[Tensor] = [x * q4 for q4 in range((x.size(0) + 1))]
        l5: List[int] = list(x.size())
        t6 = l3.pop(len(x))
        l3.extend([u7 + t6.numel() for u7 in l3])
        return t6 * l3[0].size(0)
# SPDX-License-Identifier: Apache-2.0
