# SPDX-License-Identifier: Apache-2.0
"""Makes a program smaller while its verdict stays of the same kind: delta debugging on its tree.

Statements are removed or replaced by their blocks, expressions by their parts or by literals,
unread inputs go; each smaller program that torch runs and that is judged alike is taken.
"""

import ast
import copy
from dataclasses import replace

import campaign
import program as programs
from child import ChildError

MOST_TRIES = 400
BLOCKS = ("body", "orelse")


def statement_places(tree):
    """(parent's index, block, index) of every statement that may go."""
    found = []
    for node_index, node in enumerate(ast.walk(tree)):
        for block in BLOCKS:
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                found += [(node_index, block, i) for i, each in enumerate(statements)
                          if not isinstance(each, (ast.Import, ast.ImportFrom, ast.Pass))]
    return found


def without_statement(tree, place):
    """The tree without one statement; an emptied block becomes `pass`."""
    node_index, block, i = place
    smaller = copy.deepcopy(tree)
    statements = getattr(list(ast.walk(smaller))[node_index], block)
    del statements[i]
    if not statements and block == "body":
        statements.append(ast.Pass())
    return smaller


def unwrapped(tree, place):
    """The trees in which one statement gives way to one of its blocks."""
    node_index, block, i = place
    statement = getattr(list(ast.walk(tree))[node_index], block)[i]
    for inner in BLOCKS:
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.With)) and getattr(statement, inner, None):
            smaller = copy.deepcopy(tree)
            getattr(list(ast.walk(smaller))[node_index], block)[i:i + 1] = getattr(copy.deepcopy(statement), inner)
            yield smaller


def simpler(node):
    """Expressions that may stand for one: its parts, else a literal."""
    yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    if not isinstance(node, (ast.Constant, ast.Name)):
        for value in (2, 0):
            yield ast.Constant(value)


def expression_places(tree):
    """(parent's index, field, index in a list or None) of every expression that is computed."""
    for node_index, parent in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "bases", "targets", "target", "func"):
                continue
            for i, each in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(each, ast.expr) and not isinstance(each, (ast.Constant, ast.Name)):
                    yield node_index, field, i if isinstance(value, list) else None


def with_expression(tree, place, new):
    node_index, field, i = place
    smaller = copy.deepcopy(tree)
    parent = list(ast.walk(smaller))[node_index]
    if i is None:
        setattr(parent, field, copy.deepcopy(new))
    else:
        getattr(parent, field)[i] = copy.deepcopy(new)
    return smaller


def expression_at(tree, place):
    node_index, field, i = place
    value = getattr(list(ast.walk(tree))[node_index], field)
    return value if i is None else value[i]


def smaller_trees(tree):
    """Candidates, those first that remove most."""
    places = statement_places(tree)
    for place in reversed(places):
        yield without_statement(tree, place)
        yield from unwrapped(tree, place)
    for place in expression_places(tree):
        for new in simpler(expression_at(tree, place)):
            yield with_expression(tree, place, new)


def without_input(program, name):
    """The program without an input that no line but the signature names."""
    signature = f", {name}: Tensor"
    if signature not in program.source or len(program.inputs) == 1:
        return None
    source = program.source.replace(signature, "", 1)
    inputs = [each for each in program.inputs if each[0] != name]
    return replace(program, source=source, inputs=inputs)


class Reducer:
    def __init__(self, judging, kind):
        self.judging = judging
        self.kind = kind
        self.tries = 0
        self.seen = set()

    def is_alike(self, program):
        """The verdict if it is of the kind that is kept; None else."""
        if program is None or program.source in self.seen or self.tries >= MOST_TRIES:
            return None
        self.seen.add(program.source)
        if not programs.runs_in_python(program):
            return None
        try:
            self.judging.compiler.ask(program, str(self.judging.path("small")))
        except ChildError:  # whatever Python and torch say: not a program
            return None
        self.tries += 1
        result = self.judging.of_saved("small", program)
        return result.verdict if result.kind == self.kind else None

    def step(self, program):
        """A smaller one with its verdict, or None."""
        for name, _, _ in program.inputs[1:]:
            smaller = without_input(program, name)
            if (verdict := self.is_alike(smaller)) is not None:
                return smaller, verdict
        tree = ast.parse(program.source)
        for candidate in smaller_trees(tree):
            text = ast.unparse(ast.fix_missing_locations(candidate)) + "\n"
            if len(text) < len(ast.unparse(tree)) + 1:
                smaller = replace(program, source=text)
                if (verdict := self.is_alike(smaller)) is not None:
                    return smaller, verdict
        return None


def reduced(binary, program):
    """The smallest program found that is judged alike, with a note of what is wrong."""
    with campaign.Judge(binary) as judging:
        first = judging.of("whole", program)
        reducer, verdict = Reducer(judging, first.kind), first.verdict
        while (found := reducer.step(program)) is not None:
            program, verdict = found
        return programs.with_notes(program, f"{first.kind}: {verdict.why}")
