# SPDX-License-Identifier: Apache-2.0
"""What a file says of its sizes: the `extension tract_assert` lines of graph.nnef, evaluated."""

import ast
import operator
import re
import tarfile

OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.Div: operator.floordiv, ast.FloorDiv: operator.floordiv, ast.USub: operator.neg,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}
FUNCTIONS = {"min": min, "max": max, "abs": abs, "floor": lambda n: n, "ceil": lambda n: n}


def graph_text(path):
    """graph.nnef of an archive."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name.split("/")[-1] == "graph.nnef":
                return archive.extractfile(member).read().decode()
    raise ValueError(f"{path} holds no graph.nnef")


def assertions(text):
    """The asserted expressions as Python trees; what they are not, raises."""
    found = re.findall(r"^\s*extension\s+tract_assert\s+([^;]*);", text, re.M)
    return [ast.parse(re.sub(r"(?<![<>=!])=(?!=)", "==", each.strip()), mode="eval").body for each in found]


def evaluate(node, sizes):
    """An expression at given sizes; `/` rounds down, as in tract."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATORS[type(op)](evaluate(operand, sizes))
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](evaluate(left, sizes), evaluate(right, sizes))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            operands = [evaluate(each, sizes) for each in [left, *rights]]
            return all(OPERATORS[type(op)](a, b) for op, a, b in zip(ops, operands, operands[1:]))
        case ast.BoolOp(op=op, values=operands):
            results = [evaluate(each, sizes) for each in operands]
            return all(results) if isinstance(op, ast.And) else any(results)
        case ast.Call(func=ast.Name(id=name), args=operands):
            return FUNCTIONS[name](*[evaluate(each, sizes) for each in operands])
    raise ValueError(f"cannot evaluate {ast.dump(node)}")


def hold(asserted, sizes):
    return all(evaluate(each, sizes) for each in asserted)
