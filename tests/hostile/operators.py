# SPDX-License-Identifier: Apache-2.0
"""Models that call one operator of LibTorch with strange arguments: kernels that trust them crash."""
import io
import pathlib
import sys

from case import Case

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import hostile_archive

INTEGERS = ["0", "1", "-1", "2", "3", "4", "5", "-2", "-4", "-5", "7", "64", "1000", "100000", "2147483647", "2147483648",
            "-2147483648", "4294967296", "4611686018427387904", "9223372036854775807", "(-9223372036854775807)"]
SMALL = ["0", "1", "2", "3", "1", "2", "4", "-1"]
FLOATS = ["0.", "1.", "-1.", "0.5", "1e38", "-1e300", "1e-320", 'torch.Float("nan")', 'torch.Float("inf")', "2147483648."]
DTYPES = ["0", "1", "2", "3", "4", "5", "6", "6", "7", "8", "9", "11", "12", "13", "14", "15", "16", "22", "25", "44", "99", "-1"]
STRINGS = ["", "mean", "sum", "none", "amax", "amin", "prod", "linear", "bilinear", "floor", "trunc", "constant", "reflect", "ij",
           "fro", "nuc", "U", "V", "gelsd", "tanh", "left", "%s", "{}", "a" * 40, "i,j->ij", "ii->i", "...,a->a", "\\n", "uint8"]
SIZES = [[], [0], [1], [4], [4], [2, 3], [3, 3], [3, 3], [1, 4], [2, 0], [2, 3, 4], [1, 1, 4], [2, 3, 4, 4], [1, 2, 5, 5],
         [1, 2, 3, 3, 3], [1, 1, 1, 1, 1, 1], [5, 1, 0, 2], [64, 64]]


def integer(rng, small=0.6):
    return rng.choice(SMALL if rng.random() < small else INTEGERS)


def integers(rng, small=0.7):
    count = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6])
    return "[" + ", ".join(integer(rng, small) for _ in range(count)) + "]"


def tensor(rng):
    """An expression; all values are small or extreme, sizes are small."""
    size = str(rng.choice(SIZES))
    dtype = rng.choice(["6", "6", "6", "6", "4", "4", "4", "3", "7", "11", "0", "1", "2", "5", "9", "15"])
    how = rng.random()
    if how < 0.1:
        return "x"
    if how < 0.35:
        value = rng.choice(["0", "1", "-1", "2", "5", "1e30", "100"]) if rng.random() < 0.7 else rng.choice(INTEGERS)
        if dtype in ("6", "7", "5", "9", "15") or "e" not in value:
            return f"torch.full({size}, {value}, dtype={dtype})"
    if how < 0.45:
        return f"torch.slice(torch.rand([6, 5, 4]), {rng.choice(['0', '1', '2'])}, 1, 100, {rng.choice(['1', '2', '3'])})"
    if how < 0.5:
        return f"torch.expand(torch.rand([1]), {rng.choice(['[4]', '[2, 3]', '[2, 3, 4, 4]', '[100000, 10000]'])})"
    if how < 0.55:
        return f"torch.quantize_per_tensor(torch.rand({size}), 0.1, 3, {rng.choice(['12', '13', '14'])})"
    if how < 0.65:
        count = rng.choice(["0", "1", "3", "4", "5"])
        return f"torch.sub(torch.arange({count}, dtype={dtype}), {rng.choice(['0', '0', '1', '2'])})"
    if how < 0.7:
        return f"torch.permute(torch.rand([2, 3, 4, 5]), {rng.choice(['[3, 2, 1, 0]', '[0, 2, 3, 1]'])})"
    if how < 0.75:
        return f"torch.div(torch.zeros({size}), torch.zeros({size}))"
    return f"torch.to(torch.mul(torch.rand({size}), {rng.choice(['1', '4', '100', '-3'])}), {dtype})"


def value(rng, kind, name):
    """How a value of a type is written; None if it cannot be."""
    if kind.startswith("Optional["):
        return value(rng, kind[9:-1], name) if rng.random() < 0.5 else "None"
    if kind == "Tensor":
        return tensor(rng)
    if kind == "int" and "dtype" in name:
        return rng.choice(DTYPES)
    if kind == "int" and name in ("layout", "memory_format"):
        return rng.choice(["0", "0", "0", "1", "2", "3", "5", "99"])
    if kind == "int":
        return integer(rng)
    if kind == "float":
        return rng.choice(FLOATS)
    if kind == "bool":
        return rng.choice(["True", "False"])
    if kind == "number":
        return rng.choice([integer(rng), rng.choice(FLOATS)])
    if kind == "complex":
        return "1j"
    if kind == "str":
        return '"' + rng.choice(STRINGS) + '"'
    if kind == "Device":
        return 'torch.device("cpu")'
    if kind == "List[int]":
        return "annotate(List[int], " + integers(rng) + ")"
    if kind.startswith("List["):
        items = [value(rng, kind[5:-1], name) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        return None if None in items else f"annotate({kind}, [{', '.join(items)}])"
    return None


class Operators:
    """Schemas of what models may call, as this Python's PyTorch knows them."""

    def __init__(self):
        import torch

        import hostile_operators
        known = hostile_operators.allowed()
        self.schemas = [schema for schema in torch._C._jit_get_all_schemas()
                        if schema.name in known and schema.returns and not schema.name.startswith("prim::")
                        and not schema.overload_name.endswith("out")]

    def call(self, rng):
        schema = rng.choice(self.schemas)
        words = []
        for argument in schema.arguments:
            if argument.has_default_value() and rng.random() < 0.4:
                if not argument.kwarg_only:
                    break  # and all that follow
                continue
            text = value(rng, str(argument.type), argument.name)
            if text is None:
                return None
            words.append(f"{argument.name}={text}" if argument.kwarg_only else text)
        return f"ops.{schema.name.replace('::', '.')}({', '.join(words)})"


def single(rng, seeds):
    """A model of one call, which is run or exported."""
    text = seeds.operators.call(rng)
    if text is None:
        raise ValueError("an operator of kinds that cannot be written")
    out = io.BytesIO()
    hostile_archive.archive(out, hostile_archive.forward(
        f"y = {text}", 'return torch.add(x, torch.len(torch.format("{}", y)))'))
    command = rng.choice([["inspect", "m.pt", "-i", "x=4,f32"]] * 3 + [
        ["export", "m.pt", "-i", "x=4,f32", "-t", "tract", "--check", "-o", "o.tgz"]])
    return Case("model: one operator", command, {"m.pt": out.getvalue()}, env={"CALL": text})
