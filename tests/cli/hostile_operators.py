"""One model for each operator of LibTorch that is not on t2nnef's list: hostile_operators.py OUTDIR.

The models call it with operands of its schema's types. That they compile shows that the call would
be found; whether it is refused is the test's question.
"""

import sys
from pathlib import Path

import torch

import hostile_archive

# Registered by PyTorch's Python alone: for LibTorch they are operators that it does not know.
OF_PYTHON = {"_native", "debugprims", "export", "inductor_prims", "onnx", "prims", "rngprims"}
ALLOWED = Path(__file__).resolve().parents[2] / "src/model_file/allowed_operators.txt"

WORDS = {
    "Tensor": "x",
    "int": "1",
    "float": "1.",
    "bool": "True",
    "str": '"marker_operator"',
    "number": "1",
    "Device": 'torch.device("cpu")',
    "complex": "1j",
    "Optional[Tensor]": "x",
}


def operand(kind):
    """How a value of a type is written; None if it cannot be."""
    kind = str(kind)
    if kind in WORDS:
        return WORDS[kind]
    if kind.startswith("Optional["):
        return "None"
    if kind.startswith("List["):
        inner = kind[5:-1]
        value = operand(inner)
        return None if value is None else f"annotate(List[{inner}], [{value}])"
    return None


def allowed():
    names = [line for line in ALLOWED.read_text().splitlines() if not line.startswith("#")]
    return {name for name in names if not name.startswith("torchvision::")}


def call(schema):
    operands = []
    for argument in schema.arguments:
        value = operand(argument.type)
        if value is None:
            return None
        operands.append(f"{argument.name}={value}" if argument.kwarg_only else value)
    return f"ops.{schema.name.replace('::', '.')}({', '.join(operands)})"


def write_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    known = allowed()
    seen = set()
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name
        if name in known or name in seen or not schema.returns or name.split("::")[0] in OF_PYTHON:
            continue
        text = call(schema)
        if text is None:
            continue
        seen.add(name)
        # A result that is used cannot be left out.
        code = hostile_archive.forward(f"y = {text}", 'return torch.add(x, torch.len(torch.format("{}", y)))')
        hostile_archive.archive(folder / f"{name.replace('::', '.')}.pt", code)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
# SPDX-License-Identifier: Apache-2.0
