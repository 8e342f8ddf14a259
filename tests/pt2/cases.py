# SPDX-License-Identifier: Apache-2.0
"""Small modules for torch.export, with samples, dynamic axes, and further inputs."""

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.ao.quantization.fx import _decomposed  # noqa: F401, registers operators
from torch.export import Dim

from torchao_cases import quantised_modules

AUTO = Dim.AUTO


class Case(NamedTuple):
    module: nn.Module
    args: tuple
    kwargs: dict = {}
    dynamic: Any = None  # dynamic_shapes of torch.export
    others: tuple = ()  # further arguments, at sizes that the axes allow
    options: tuple = ()  # of t2nnef
    refused: str = ""  # the id of the diagnostic, where the target has no form


def rand(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape) + len(shape)))


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return x + torch.relu(self.fc(self.norm(x)))


class Nested(nn.Module):
    """Shared layers, a constant of the module, nested arguments and results."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.shared = self.blocks[0].fc
        self.table = torch.arange(8.0)

    def forward(self, x, pair, options, flag=True, scale=None):
        for block in self.blocks:
            x = block(x)
        x = self.shared(x) + self.table if flag else x
        left, right = pair[0].split([3, 5], -1)
        return {"y": x * options["w"], "parts": (left, [right, pair[1]])}, x.shape[0] + 2


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.count.add_(1)
        self.mean = self.mean * 0.5 + x.mean(0) * 0.5
        return x * self.count - self.mean


class Sizes(nn.Module):
    def forward(self, x):
        b, t, d = x.shape
        half = t // 2
        y = x.reshape(b * t, d)[: b * half]
        z = x[:, :half].flatten(1)
        return y, z.sum(1) * (t % 3), x.mean(1) * (t / 4), torch.full([b], max(b, t)), x[:, -1]


class Numbers(nn.Module):
    def forward(self, x, i):
        y = torch.where(x > 0, x, float("-inf")).masked_fill(x > 1, 1e30)
        return (y, torch.pow(2, i), i // 3, i % 3, 7 - i, torch.maximum(i, i * 2), x.to(torch.float64) * 0.1,
                (x * 3).to(torch.int32), torch.clamp(x, min=-0.5), torch.std(x, 1, correction=0), x.half() * 300)


class Writes(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        y[:, 0] = x[:, 1]
        y[:, 1:].add_(x[:, :-1])
        z = y.view(-1)
        z.mul_(2)
        return y, x.clone().index_fill_(1, torch.tensor([0, 2]), 5)


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda a: self.fc(a) + 1, lambda a: a * 2, (x,))


class Scan(nn.Module):
    def forward(self, x):
        from torch._higher_order_ops.scan import scan

        def step(carry, row):
            after = carry * 0.5 + row
            return after, after * 2

        return scan(step, torch.zeros_like(x[0]), x, dim=0)


class Map(nn.Module):
    def forward(self, x, w):
        from torch._higher_order_ops.map import map as map_over

        return map_over(lambda row, weight: torch.relu(row) @ weight, x, w)


class While(nn.Module):
    def forward(self, x):
        count = torch.tensor(0)
        return torch.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * 1.5 + 1), (count, x))[1]


class Grad(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        with torch.autocast("cpu", enabled=False):
            z = y @ x.T
        return z


class Autocast(nn.Module):
    """Operators in half precision, in float32, and of operands with both."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.float16):
            y = torch.relu(self.fc(x))
            with torch.autocast("cpu", enabled=False):
                z = y.float() @ x.T
            w = torch.cat([y * 2, torch.softmax(x, -1).to(y.dtype), torch.prod(y, 1, keepdim=True) * x])
        return y, z, w, torch.stack([y, x])


class Tagger(nn.Module):
    def __init__(self, kind, layers=2, both=True):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.rnn = kind(8, 6, layers, batch_first=True, bidirectional=both)
        self.out = nn.Linear(12 if both else 6, 5)

    def forward(self, ids):
        return self.out(self.rnn(self.table(ids))[0])


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 8, 3, groups=8),
                                  nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4), nn.Softmax(1))

    def forward(self, x):
        return self.body(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)

    def forward(self, x, mask):
        return self.layer(x, src_key_padding_mask=mask)


class Point(NamedTuple):
    near: torch.Tensor
    far: torch.Tensor


torch.utils._pytree._register_namedtuple(Point, serialized_type_name="cases.Point")


def stack(x, y):
    return torch.stack([x, y]), Point(x.cumsum(0), torch.atleast_2d(y))


def picked(x):
    return x[x[:, 0] > 0] * 2, x.sum()


def asserted(x):
    torch._check(x.shape[0] >= 3)
    torch._check(x.shape[0] + x.shape[1] < 50)
    return x.reshape(-1) * 2


def first_rows(x, n):
    count = n.item()
    torch._check(count >= 0)
    torch._check(count <= 3)
    return x[:count] * 2


def truths(x):
    return torch.full([], True), torch.full([2], False), torch.where(x > 0, x > 1, True), (x > 0).masked_fill(x > 1, False)


def keywords(x, *, scale, shift):
    return x * scale + shift


def constants(x):
    return x + torch.tensor([1.0, 2, 3, 4]), torch.linalg.inv(torch.eye(4) * 2) @ x[0], x.new_ones(2, 3)


class Quantised(nn.Module):
    """What PT2E writes: static and dynamic ranges, scales per channel and per token."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", (rand(6, 4) * 40).to(torch.int8))
        self.register_buffer("scales", rand(6).abs() / 40)
        self.register_buffer("zeros", torch.zeros(6, dtype=torch.int64))

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        weight = ops.dequantize_per_channel(self.weight, self.scales, self.zeros, 0, -128, 127, torch.int8)
        integers = ops.quantize_per_tensor(x, 0.031, 7, 0, 255, torch.uint8)
        static = ops.dequantize_per_tensor(integers, 0.031, 7, 0, 255, torch.uint8)
        scale, zero = ops.choose_qparams(x, 0, 255, 1e-6, torch.uint8)
        dynamic = ops.quantize_per_tensor(x, scale, zero, 0, 255, torch.uint8)
        steps, offsets = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
        tokens = ops.quantize_per_token(x, steps, offsets, -128, 127, torch.int8)
        return (static @ weight.T, ops.dequantize_per_tensor(dynamic, scale, zero, 0, 255, torch.uint8), integers,
                ops.dequantize_per_token(tokens, steps, offsets, -128, 127, torch.int8, torch.float32))


B, T = Dim("B", min=2, max=64), Dim("T", max=100)
H = Dim("H", min=1, max=20)
GENERATED = torch.Generator().manual_seed(1)
IDS = torch.randint(0, 30, (2, 7), generator=GENERATED)


def ids(*shape):
    return torch.randint(0, 30, shape, generator=GENERATED)


def nested(b, t):
    return rand(b, t, 8), (rand(b, 8), rand(3)), {"w": rand(8)}


CASES = {
    "nested": Case(Nested(), nested(3, 5), {"flag": True}),
    "nested_open": Case(Nested(), nested(3, 5), {}, ({0: B, 1: T}, ({0: B}, None), {"w": None}), (nested(7, 1),)),
    "counter": Case(Counter(), (rand(3, 4),), options=("--state",)),
    "sizes": Case(Sizes(), (rand(3, 5, 4),)),
    "sizes_open": Case(Sizes(), (rand(3, 5, 4),), {}, ({0: AUTO, 1: AUTO},), ((rand(6, 8, 4),),)),
    "multiple": Case(Function(lambda x: x.reshape(-1, 2, 3).sum(1)), (rand(6, 3),), {}, (({0: 2 * H},),),
                     ((rand(10, 3),), (rand(2, 3),))),
    "numbers": Case(Numbers(), (rand(3, 4), torch.arange(5))),
    "writes": Case(Writes(), (rand(3, 4),)),
    "cond": Case(Cond(), (rand(3, 4),), others=((-rand(3, 4).abs(),), (rand(3, 4).abs(),))),
    "scan": Case(Scan(), (rand(5, 4),)),
    "scan_open": Case(Scan(), (rand(5, 4),), {}, ({0: Dim("T", min=2)},), ((rand(9, 4),),)),
    "map": Case(Map(), (rand(5, 4), rand(4, 3))),
    "while": Case(While(), (rand(3, 4),)),
    "grad": Case(Grad(), (rand(3, 4),)),
    "autocast": Case(Autocast(), (rand(3, 4),)),
    "gru": Case(Tagger(nn.GRU), (IDS,)),
    # With open axes torch takes long to decompose them: one layer.
    "gru_open": Case(Tagger(nn.GRU, 1, False), (ids(2, 4),), {}, ({0: AUTO},), ((ids(5, 4),),)),
    "lstm_open": Case(Tagger(nn.LSTM, 1, False), (ids(2, 4),), {}, ({0: AUTO},), ((ids(3, 4),),)),
    "convolutions": Case(Convolutions(), (rand(2, 3, 16, 16),)),
    "convolutions_open": Case(Convolutions(), (rand(2, 3, 16, 16),), {}, ({0: AUTO},), ((rand(5, 3, 16, 16),),)),
    "attention": Case(Attention(), (rand(2, 6, 16), torch.arange(12).reshape(2, 6) % 5 == 4)),
    "named_tuple": Case(Function(stack), (rand(3), rand(3))),
    "picked": Case(Function(picked), (rand(4, 3),), others=((rand(4, 3).abs(),),)),
    "asserted": Case(Function(asserted), (rand(4, 5),), {}, (({0: AUTO, 1: AUTO},),), ((rand(7, 3),),)),
    "first_rows": Case(Function(first_rows), (rand(4, 5), torch.tensor(2)), others=((rand(4, 5), torch.tensor(3)),)),
    "truths": Case(Function(truths), (rand(3, 4),)),
    "keywords": Case(Function(keywords), (rand(3),), {"shift": rand(3), "scale": rand(1)}),
    "quantised": Case(Quantised(), (rand(3, 4),), others=((rand(3, 4) * 5,),)),
    "constants": Case(Function(constants), (rand(3, 4),)),
}

CASES |= {name: Case(module, (rand(4, 64),), others=((rand(4, 64) * 3,),))
          for name, module in quantised_modules().items()}
