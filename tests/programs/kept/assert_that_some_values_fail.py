# inputs: [["x", "f32", ["B", 8]], ["n", "i64", ["B"]]]
# refused: data-dependent-branch, where other values than the sample's fail the assert
# mode: script  dynamic: 1  seed: 1  sample: 3,5
import torch
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, n: Tensor):
        assert int(n.min()) >= -2, "a negative length"
        if x.min() < -5 or x.max() > 6:
            raise ValueError("numbers must lie in -5..6")
        return x * n[:, None]
# SPDX-License-Identifier: Apache-2.0
