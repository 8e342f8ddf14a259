# SPDX-License-Identifier: Apache-2.0
"""Writes a function's body: random statements, then a return that reads what they left."""

import re

import torch

import grammar_control
import grammar_numbers
import grammar_tensors
from grammar import Grammar, needs
from program import PRELUDE
from scope import Rejected, Scope

ATTEMPTS = 40  # for one statement


def eager(definitions):
    """The definitions as plain Python: scripted and traced parts have no values to look at."""
    text = definitions.replace("@torch.jit.script\n", "")
    return re.sub(r"torch\.jit\.(?:script|trace)\((\w+\(\d*\)).*\)", r"\1", text)


class Writer:
    def __init__(self, rng, tables, may_read, wants_sizes, definitions):
        self.rng = rng
        self.grammar = Grammar(rng, wants_sizes)
        for table in [grammar_numbers.PLAIN, grammar_tensors.TENSORS]:
            self.grammar.add(table)
        for table in tables:
            usable = {kind: rules for kind, rules in table.items() if may_read or not kind.startswith("data ")}
            self.grammar.add(usable)
            self.grammar.add({kind.replace("statements", "own"): rules for kind, rules in usable.items() if "statements" in kind})
        if may_read:
            self.grammar.add(grammar_numbers.DATA, is_data=True)
        self.env = {}
        exec(eager(PRELUDE + definitions), self.env)

    def scope(self, parameters, self_=None):
        """A function's first scope; parameters are (name, type, value on the sample, another value)."""
        envs = []
        for i in (2, 3):
            env = self.env | {each[0]: each[i] for each in parameters}
            envs.append(env | ({} if self_ is None else {"self": eval(self_, env)}))
        return Scope([0], {name: kind for name, kind, *_ in parameters}, *envs)

    def body(self, scope, ends, length, control):
        """The lines of a scope that is filled with statements and a return."""
        self.ends = ends
        while len(scope.lines) < length:
            kind = "control" if self.rng.random() < control else "own" if self.rng.random() < 0.75 else "statements"
            self.statement(scope, kind, nesting=0)
        return [*scope.lines, f"return {self.end(scope)}"]

    def statement(self, scope, kind, nesting, changes=False):
        """Adds one; `changes` wants one that does not only define a variable."""
        for _ in range(ATTEMPTS):
            before = self.grammar.reads_data
            try:
                return self.try_statement(scope, kind, nesting, changes)
            except Rejected:
                self.grammar.reads_data = before
                kind = "statements" if kind == "own" and self.rng.random() < 0.1 else kind
        raise Rejected("no statement")

    def try_statement(self, scope, kind, nesting, changes):
        if kind == "control":
            have = set(scope.variables.values())
            forms = [form for form in grammar_control.CONTROL if needs(form) <= have]
            text, new = self.compound(self.rng.choice(forms), scope, nesting)
        else:
            rules = self.grammar.possible(kind, scope) or self.grammar.possible("statements", scope)
            if changes:
                rules = [rule for rule in rules if not rule.template.startswith(("<+", "<@"))]
            rule, new = self.grammar.choose(rules), []
            self.grammar.reads_data |= rule.is_data
            text = self.grammar.fill(rule.template, scope, {}, new)
        scope.add(text, new)

    def compound(self, form, scope, nesting):
        """The text of a statement with blocks, and the variables that outlive it."""
        names, lines, header, seen, lasting = {}, [], "", [], []
        for line in form.split("\n"):
            indent = line[:len(line) - len(line.lstrip())]
            if line.strip() == "<block>":
                lines += [indent + each for each in self.block(scope, header, seen, nesting)]
                continue
            new = []
            filled = self.filled(line, scope, names, new)
            seen += new if "<*" in line else []
            lasting += new if "<+" in line else []
            header = filled if line.startswith("for ") else header
            lines.append(filled)
            if "<+" in line:
                scope = self.after(scope, filled, new)
        return "\n".join(lines), lasting

    def filled(self, line, scope, names, new):
        if "<return>" in line:
            return line.split("return")[0] + f"return {self.end(scope)}"
        return self.grammar.fill(line, scope, names, new)

    def after(self, scope, text, new):
        """A scope in which a first line has run."""
        following = scope.inner()
        following.add(text, new)
        return following

    def block(self, scope, header, seen, nesting):
        inner = scope.inner(header)
        if any(name not in inner.env for name, _ in seen):
            raise Rejected("no first element")
        inner.variables |= dict(seen)
        for name in [name for name in inner.variables if name.startswith("w")]:
            del inner.variables[name]  # the counter of a while loop, which keeps it finite
        for _ in range(self.rng.randint(1, 2)):
            is_control = nesting == 0 and self.rng.random() < 0.15
            kind = "control" if is_control else "own" if self.rng.random() < 0.6 else "statements"
            self.statement(inner, kind, nesting + 1, changes=True)
        return inner.lines

    def reading(self, name, scope, kinds):
        """An expression of one of the types that reads the variable, and varies where that is found."""
        kind = scope.variables[name]
        for attempt in range(ATTEMPTS):
            wanted = self.rng.choice(kinds)
            if kind == wanted:
                return name
            rules = [rule for rule in self.grammar.possible(wanted, scope) if kind in rule.needs]
            if not rules:
                continue
            self.grammar.forced = {kind: name}
            before = self.grammar.reads_data
            try:
                text = self.grammar.expression_by(self.rng.choice(rules), scope)
                if attempt > 5 or scope.varies(text):
                    return text
                self.grammar.reads_data = before
            except Rejected:
                pass
            finally:
                self.grammar.forced = {}
        raise Rejected(f"{name} is not read")

    def number(self, scope, kinds=("int", "int", "float")):
        """One that reads a late variable that is no tensor, if there is one."""
        names = [name for name, kind in scope.variables.items() if kind != "T"]
        if names and self.rng.random() < 0.9:
            try:
                return self.reading(self.rng.choices(names, [2 ** min(i, 5) for i in range(len(names))])[0], scope, kinds)
            except Rejected:
                pass
        return self.grammar.expression("int", scope)

    def end(self, scope):
        """What a return gives: one of the function's ends that works out here."""
        for _ in range(ATTEMPTS):
            before = self.grammar.reads_data
            form = self.rng.choice(self.ends)
            try:
                if form == "int":
                    return self.number(scope, ("int",))
                holes = {"t": self.grammar.variable("T", scope), "u": self.grammar.expression("T", scope)}
                text = form.format(a=self.number(scope), b=self.number(scope), **holes)
                result = scope.value(text)
                if all(isinstance(each, torch.Tensor) for each in (result if isinstance(result, tuple) else (result,))):
                    return text
            except Rejected:
                self.grammar.reads_data = before
        raise Rejected("no end")
