# inputs: [["x", "f32", [2, "B"]], ["y", "f32", ["B", "T"]]]
# NORUN: input 3 {'B': 3, 'T': 2}: TractError: Evaluating #11 "roll_slice_1" Slice <- Caused by: <- Invalid range 0..18446744073709551615 for slicing 3,2,F32 -0.75, 1, -1, -1, 0.25, -0.5 on axis 0 <- Stack backtrace: <- 0: <anyhow::Error>::msg::<alloc::string::String> <- 1: <tract_core::ops::array::slice::Slice as tract_core::ops::EvalOp>::eval <- 2: <tract_core::plan::SimpleState<tract_core::model::fact::TypedFact, alloc::boxed::Box<dyn tract
# mode: script  dynamic: 1  seed: 600515  data: 1  sample: 4,6
import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        if (y.size() == [(2 if y.size(0) > 1 else 3), 3]):
            x = x * abs(y.size(0) - 4)
            y = y * len(torch.where(x > 0)[0])
        return y, y.roll((y.size(0) % 2), 0) * y.shape[-1]
# SPDX-License-Identifier: Apache-2.0
