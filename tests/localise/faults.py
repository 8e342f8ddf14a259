# SPDX-License-Identifier: Apache-2.0
"""Faults in artefacts: each changes one statement or one weight of a folder.

    faults_of(folder)     all that are known, in the order of the file: kind, statement, and how to plant it
"""

import re
import struct
from pathlib import Path
from typing import NamedTuple

import numpy

STATEMENT = re.compile(r"^    (?P<left>[^=]+?) = (?P<right>.*);(?P<rest>.*)$")
# Operations with the same operands and shapes.
OTHER = {"relu": "tanh", "tanh": "sigmoid", "sigmoid": "tanh", "t2n_gelu_erf": "relu", "max_pool": "avg_pool",
         "t2n_sigmoid": "tanh", "tract_core_round_even": "floor", "tract_core_erf": "tanh", "rsqrt": "rcp", "max": "min"}
NUMBER = re.compile(r"(?<![\w.'(])-?\d+\.\d+(?:e-?\d+)?|(?<=[ ,])\d+e-\d+")


class Fault(NamedTuple):
    kind: str
    line: int  # in graph.nnef, from 0
    name: str  # of the statement
    text: str  # what the line becomes; "": a weight changes
    label: str = ""


def operation_of(right):
    return re.match(r"[A-Za-z_]\w*", right)[0] if re.match(r"[A-Za-z_]\w*[(<]", right) else ""


def other_operation(right):
    operation = operation_of(right)
    return OTHER[operation] + right[len(operation):] if operation in OTHER else ""


def other_sum(right):
    match = re.fullmatch(r"add\((\w+), (\w+)\)", right)
    return f"sub({match[1]}, {match[2]})" if match else ""


def other_padding(right):
    if not right.startswith(("conv(", "max_pool(", "box(")) or "padding = [" not in right:
        return ""
    return re.sub(r"padding = (\[.*?)\(([1-9]), \2\)",
                  lambda match: f"padding = {match[1]}({int(match[2]) - 1}, {int(match[2]) + 1})", right, count=1)


def other_number(right):
    """A literal a half larger; one that keeps a quotient finite becomes noticeable."""
    match = next((m for m in NUMBER.finditer(right) if 0 < abs(float(m[0])) < 1e6), None)
    if match is None or right.startswith("variable"):
        return ""
    value = float(match[0])
    value = 0.3 if abs(value) < 1e-3 else value * 1.5
    return right[:match.start()] + repr(value) + right[match.end():]


def other_attribute(right):
    """A softmax or a mean along another axis."""
    match = re.search(r"softmax\(.*axes = \[([1-9])\]", right)
    if match:
        return re.sub(r"axes = \[\d\]", f"axes = [{int(match[1]) - 1}]", right, count=1)
    return ""


def other_axis(right):
    if "'abk,nk->abn'" in right:
        return right.replace("'abk,nk->abn'", "'abk,kn->abn'")
    return ""


def without_mask(right, masks):
    match = re.fullmatch(r"add\((.+), (\w+)\)", right)
    return f"add({match[1]}, mul({match[2]}, 0.0))" if match and match[2] in masks else ""


CHANGES = {"operator": other_operation, "sum": other_sum, "padding": other_padding, "number": other_number,
           "attribute": other_attribute, "axis": other_axis}


def swapped_axes(folder, label, shape):
    """Whether a stored tensor has two equal axes to exchange."""
    return len(shape) >= 2 and shape[-1] == shape[-2] > 1 and (Path(folder) / f"{label}.dat").exists()


def faults_of(folder, masks=()):
    out = []
    for number, line in enumerate((Path(folder) / "graph.nnef").read_text().splitlines()):
        match = STATEMENT.match(line)
        if not match or line.startswith("     "):
            continue
        left, right = match["left"], match["right"]
        name = re.match(r"\(?(\w+)", left)[1]
        label = re.search(r"label = '([^']+)'", right)
        if label:
            shape = [int(size) for size in re.search(r"shape = \[([\d, ]*)\]", right)[1].split(",") if size]
            out.append(Fault("weight", number, name, "", label[1]))
            if swapped_axes(folder, label[1], shape):
                out.append(Fault("permuted weight", number, name, "", label[1]))
            continue
        changes = [(kind, change(right)) for kind, change in CHANGES.items()] + [("mask", without_mask(right, masks))]
        for kind, changed in changes:
            if changed and changed != right:
                out.append(Fault(kind, number, name, f"    {left} = {changed};"))
    return [fault for fault in out if in_graph(folder, fault)]


def readers_of(folder):
    """For each weight the first statement that reads it, by their names."""
    out = {}
    for line in (Path(folder) / "graph.nnef").read_text().splitlines():
        match = STATEMENT.match(line)
        if match and not line.startswith("     ") and not match["right"].startswith("variable"):
            for word in re.findall(r"\w+", match["right"]):
                out.setdefault(word, re.match(r"\(?(\w+)", match["left"])[1])
    return out


def results_of(folder):
    """For each output of the graph what it is computed from, by their names."""
    lines = (Path(folder) / "graph.nnef").read_text().splitlines()
    names = set(re.findall(r"\w+", next(line for line in lines if line.startswith("graph ")).partition("->")[2]))
    matches = [match for match in map(STATEMENT.match, lines) if match]
    return {match["left"]: re.findall(r"\w+", match["right"])[1] for match in matches if match["left"] in names}


def in_graph(folder, fault):
    """Fragments come before the graph."""
    lines = (Path(folder) / "graph.nnef").read_text().splitlines()
    return fault.line > next(i for i, line in enumerate(lines) if line.startswith("graph "))


def stored(path):
    data = bytearray(path.read_bytes())
    rank = struct.unpack_from("<I", data, 8)[0]
    shape = struct.unpack_from(f"<{rank}I", data, 12)
    bits = struct.unpack_from("<I", data, 44)[0]
    dtype = {32: "<f4", 64: "<i8", 8: "i1"}[bits]
    return data, numpy.frombuffer(data, dtype=dtype, offset=128).reshape(shape)


def plant(folder, fault):
    path = Path(folder) / "graph.nnef"
    if fault.text:
        lines = path.read_text().splitlines()
        lines[fault.line] = fault.text
        path.write_text("\n".join(lines) + "\n")
        return
    file = Path(folder) / f"{fault.label}.dat"
    data, values = stored(file)
    if fault.kind == "permuted weight":
        values[...] = values.swapaxes(-1, -2).copy()
    else:
        largest = values.flat[: (values.size + 1) // 2].argmax()
        values.flat[largest] = -values.flat[largest] if values.flat[largest] != 0 else 1
    file.write_bytes(data)
