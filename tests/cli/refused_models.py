"""Models that an export refuses for several reasons, for the command-line tests: write_all(folder)."""

from typing import List

import torch
from torch import nn


class ManyReasons(nn.Module):
    """An operator, a state, two branches on one condition and one of its own."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(3))

    def forward(self, x):
        y = torch.igamma(x.abs() + 1, x.abs() + 1)
        positive = bool(x.sum() > 0)
        if positive:
            self.h += 1
        if bool(y.sum() > 100):
            self.h += y.sum()
        if positive:
            self.h += 2
        for _ in range(4):
            if bool(y.max() > 3):
                self.h -= y.min()
        return torch.special.airy_ai(y) + self.h


class Followed(nn.Module):
    """One list whose length depends on data: all else follows from it, or is supported."""

    def forward(self, x):
        parts: List[torch.Tensor] = []
        for i in range(int(x.sum())):
            parts.append(x * i)
        y = torch.stack(parts).sum(0)
        return y.relu() + len(parts)


class CallsLibrary(nn.Module):
    """Operators of a library, one of which changes the shape; later operators are refused as well."""

    def forward(self, x):
        y = torch.ops.lab.swish(x)
        y = torch.igamma(y.abs() + 1, x.abs() + 1)
        return torch.special.airy_ai(torch.ops.lab.swish(y))


class CallsPool(nn.Module):
    """The result of the unknown operator has another shape than its operand."""

    def forward(self, x):
        y = torch.ops.lab.pool(x).reshape(2, 7)
        return torch.igamma(y.abs() + 1, y.abs() + 1)


class CallsPairs(nn.Module):
    """No code that LibTorch can compile without the signatures."""

    def forward(self, x):
        a, b = torch.ops.lab.pair(x)
        n = torch.ops.lab.count(a)
        return torch.igamma(a.abs() + 1, b.abs() + 1) + n


class TakesMuch(nn.Module):
    def forward(self, x, n: int, pair: List[torch.Tensor]):
        return x * n + pair[0]


class Trained(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x) * 2


class CarriesState(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, batch_first=True)

    def forward(self, x, h, c):
        y, (h, c) = self.lstm(x, (h, c))
        return y, h, c


class ForgetsState(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 5, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


class LoopsOnData(nn.Module):
    def forward(self, x):
        steps = 0
        while bool(x.sum() < 100):
            x = x * 1.5 + 1
            steps += 1
        return x


class OpenSizes(nn.Module):
    """Two sizes that no expression of the axes gives, on lines of their own, and what follows."""

    def forward(self, x):
        n = x.size(0)
        a = x[: int(n ** 0.5)]
        b = x[: int(n * 1.4) - n]
        return a.relu().sum(0) + b.exp().sum(0)


class OpenKinds(nn.Module):
    """A branch of each axis that cannot be fixed to one direction, and a number without an expression."""

    def forward(self, x, z):
        n = x.size(0)
        m = z.size(0)
        if n % 2 == 0:
            x = x * 2
        if m % 4 == 1:
            z = z.exp()
        a = x[: int(n ** 0.5)]
        return a.relu().sum(0), z.sum(0)


class OpenNeeds(nn.Module):
    """A branch that no comparison expresses, and a reshape that needs a multiple of 4."""

    def forward(self, x, z):
        if int(z.size(0) ** 0.7) > 3:
            x = x * 2
        y = torch.cat([x, x, x], 0).reshape(-1, 4, 3).sum(1)
        if x.size(0) % 4 == 0:
            y = y + 1
        return x.sum(0) + y.sum(0), z * 2


class OpenAfterData(nn.Module):
    """A branch on data ends the first trace; after it, a number and a branch on sizes."""

    def forward(self, x):
        names: List[str] = []
        if float(x.sum()) > 0.5:
            names.append("a")
        if len(names) > 0:
            x = x + 1
        a = x[: int(x.size(0) ** 0.5)]
        if x.size(0) % 3 == 1:
            a = a.relu().sum(0, keepdim=True)
        return a * 2


class OpenAfterNumber(nn.Module):
    """A number read from data is refused as an argument; after it, a number and a branch on sizes."""

    def forward(self, x):
        x = nn.functional.layer_norm(x, [3], eps=float(x.abs().max()))
        a = x[: int(x.size(0) ** 0.5)]
        if x.size(0) % 3 == 1:
            a = a.relu().sum(0, keepdim=True)
        return a * 2


class OpenAfterOperator(nn.Module):
    """A reshape that needs a multiple of 4, after an operator without a rule for its sizes."""

    def forward(self, x):
        y = torch.linalg.eigvalsh(x @ x.t())
        return y.sum(), torch.cat([x, x, x], 0).reshape(-1, 4, 3).sum(1)


class NeverEnds(nn.Module):
    """With the sample's values the loop has no end; its body and the result are refused as well."""

    def forward(self, x):
        while bool(x.sum() < 10):
            x = torch.igamma(x.abs() + 1, x.abs() + 1) - 1
        return x, "text", "more"


class Transforms(nn.Module):
    def forward(self, x):
        return torch.istft(torch.stft(x, 16, return_complex=True), 16).sum() + torch.igamma(
            x.abs() + 1, x.abs() + 1
        )


def write_all(folder):
    library = torch.library.Library("lab", "FRAGMENT")
    library.define("swish(Tensor x) -> Tensor")
    library.define("pool(Tensor x) -> Tensor")
    library.define("pair(Tensor x) -> (Tensor, Tensor)")
    library.define("count(Tensor x) -> int")
    torch.manual_seed(7)
    for model in [
        ManyReasons,
        Followed,
        CallsLibrary,
        CallsPool,
        CallsPairs,
        TakesMuch,
        CarriesState,
        ForgetsState,
        LoopsOnData,
        OpenSizes,
        OpenKinds,
        OpenNeeds,
        OpenAfterData,
        OpenAfterNumber,
        OpenAfterOperator,
        NeverEnds,
        Transforms,
    ]:
        torch.jit.script(model().eval()).save(folder / f"{model.__name__}.pt")
    traced = torch.jit.trace(Trained(), torch.randn(4, 3), check_trace=False)
    traced.save(folder / "Trained.pt")
# SPDX-License-Identifier: Apache-2.0
