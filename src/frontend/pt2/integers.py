# SPDX-License-Identifier: Apache-2.0
# Operators of torch on integers, by others.


def _int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    return torch.mm(self.to(torch.int32), mat2.to(torch.int32))
