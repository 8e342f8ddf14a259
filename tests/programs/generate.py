"""Random programs: program(seed, dynamic) is the same wherever it runs."""

import random
import re
import textwrap
from dataclasses import replace

import torch

import grammar_containers
import grammar_control
import grammar_numbers
import grammar_tensors
import values
from grammar import Grammar, needs
from program import PRELUDE, Program
from scope import TYPES, Rejected, Scope

THEMES = {
    "lists": (grammar_containers.LISTS,),
    "dictionaries": (grammar_containers.DICTS, grammar_containers.LISTS),
    "objects": (grammar_containers.OBJECTS,),
    "strings": (grammar_numbers.STRINGS,),
    "views": (grammar_tensors.VIEWS,),
    "numbers": (),
}
STATIC_INPUTS = [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]], ["m", "bool", [4]]]
DYNAMIC_INPUTS = {
    "x": [["f32", ["B", 3]], ["f32", ["B", 3]], ["f32", ["B", "T"]], ["f32", ["B"]], ["f32", [2, "B"]]],
    "y": [["f32", ["T", 3]], ["f32", ["B", 3]], ["f32", [2, 3]], ["f32", ["T"]], ["f32", ["B", "T"]]],
    "z": [["i64", ["B"]], ["i64", ["T"]], ["i64", [4]]],
}
ATTEMPTS = 40  # for one statement


def inputs(rng, is_dynamic):
    if not is_dynamic:
        return STATIC_INPUTS[:1] + [each for each in STATIC_INPUTS[1:] if rng.random() < 0.3]
    shares = {"x": 1.0, "y": 0.5, "z": 0.2}
    return [[name, *rng.choice(DYNAMIC_INPUTS[name])] for name, share in shares.items() if rng.random() < share]


class Writer:
    """Writes one program's functions: all share the themes, the names and the counter of names."""

    def __init__(self, rng, themes, reads_data, definitions):
        self.rng = rng
        self.grammar = Grammar(rng)
        for table in [grammar_numbers.PLAIN, grammar_tensors.TENSORS]:
            self.grammar.add(table)
        tables = {id(table): table for theme in themes for table in THEMES[theme]}
        for table in tables.values():
            self.grammar.add({kind: rules for kind, rules in table.items() if reads_data or not kind.startswith("data ")})
            self.grammar.add({"own": table.get("statements", [])})
        if reads_data:
            self.grammar.add(grammar_numbers.DATA, is_data=True)
        self.env = {}
        exec(PRELUDE + definitions.replace("@torch.jit.script\n", ""), self.env)

    def scope(self, parameters):
        """A function's first scope: (name, type, value on the sample)."""
        env = self.env | {name: value for name, _, value in parameters}
        return Scope([0], {name: kind for name, kind, _ in parameters}, env)

    def body(self, scope, ends, length, control):
        """Fills a scope with statements and its return."""
        self.ends = ends
        while len(scope.lines) < length:
            kind = "control" if self.rng.random() < control else "own" if self.rng.random() < 0.75 else "statements"
            self.statement(scope, kind, nesting=0)
        scope.lines.append(f"return {self.end(scope)}")
        return scope.lines

    def statement(self, scope, kind, nesting, changes=False):
        """Adds one; `changes` wants one that does not only define a variable."""
        for _ in range(ATTEMPTS):
            before = self.grammar.reads_data
            try:
                return self.try_statement(scope, kind, nesting, changes)
            except Rejected:
                self.grammar.reads_data = before
                kind = "own" if kind == "own" and self.rng.random() < 0.9 else "statements" if kind == "own" else kind
        raise Rejected("no statement")

    def try_statement(self, scope, kind, nesting, changes):
        names, new = {}, []
        if kind == "control":
            have = set(scope.variables.values())
            forms = [form for form in grammar_control.CONTROL if needs(form) <= have]
            text, new = self.compound(self.rng.choice(forms), scope, nesting)
        else:
            rules = self.grammar.possible(kind, scope) or self.grammar.possible("statements", scope)
            if changes:
                rules = [rule for rule in rules if not rule.template.startswith(("<+", "<@"))]
            rule = self.grammar.choose(rules)
            self.grammar.reads_data |= rule.is_data
            text = self.grammar.fill(rule.template, scope, names, new)
        scope.add(text, new)

    def compound(self, form, scope, nesting):
        """The text of a statement with blocks, and the variables that outlive it."""
        names, lines, header, seen, lasting = {}, [], "", [], []
        for line in form.split("\n"):
            indent = line[:len(line) - len(line.lstrip())]
            if line.strip() == "<block>":
                inner = self.block(scope, header, seen, lasting, lines, nesting)
                lines += [indent + each for each in inner]
                continue
            new = []
            filled = self.filled(line, scope, names, new)
            seen += [each for each in new if f"<*" in line]
            lasting += [each for each in new if "<+" in line]
            header = filled if line.startswith("for ") else header
            lines.append(filled)
            if "<+" in line and not indent:
                scope = self.after(scope, filled, new)
        return "\n".join(lines), lasting

    def filled(self, line, scope, names, new):
        if "<return>" in line:
            return line.replace("<return>", self.end(scope))
        return self.grammar.fill(line, scope, names, new)

    def after(self, scope, text, new):
        """A scope in which a first line has run."""
        following = scope.inner()
        following.add(text, new)
        return following

    def block(self, scope, header, seen, lasting, lines, nesting):
        inner = scope.inner(header)
        if any(name not in inner.env for name, _ in seen):
            raise Rejected("no first element")
        inner.variables |= dict(seen)
        for i in range(self.rng.randint(1, 2)):
            kind = "control" if nesting == 0 and self.rng.random() < 0.15 else "own" if self.rng.random() < 0.6 else "statements"
            self.statement(inner, kind, nesting + 1, changes=True)
        return inner.lines

    def reading(self, name, scope, kinds):
        """An expression of one of the types that reads the variable."""
        kind = scope.variables[name]
        for _ in range(ATTEMPTS):
            wanted = self.rng.choice(kinds)
            if kind == wanted:
                return name
            rules = [rule for rule in self.grammar.possible(wanted, scope) if kind in rule.needs]
            if not rules:
                continue
            self.grammar.forced = {kind: name}
            try:
                return self.grammar.expression_by(self.rng.choice(rules), scope)
            except Rejected:
                pass
            finally:
                self.grammar.forced = {}
        raise Rejected(f"{name} is not read")

    def number(self, scope):
        """One that reads a late variable that is no tensor, if there is one."""
        names = [name for name, kind in scope.variables.items() if kind != "T"]
        if names and self.rng.random() < 0.9:
            try:
                return self.reading(self.grammar.rng.choices(names, [2 ** min(i, 5) for i in range(len(names))])[0],
                                    scope, ["int", "int", "float"])
            except Rejected:
                pass
        return self.grammar.expression("int", scope)

    def end(self, scope):
        for _ in range(ATTEMPTS):
            before = self.grammar.reads_data
            form = self.rng.choice(self.ends)
            try:
                holes = {"t": self.grammar.variable("T", scope), "u": self.grammar.expression("T", scope)}
                text = form.format(a=self.number(scope), b=self.number(scope), **holes)
                result = scope.value(text)
                if all(isinstance(each, torch.Tensor) for each in (result if isinstance(result, tuple) else (result,))):
                    return text
            except Rejected:
                self.grammar.reads_data = before
        raise Rejected("no end")


def attempt(seed, is_dynamic, number):
    rng = random.Random(f"{seed} {is_dynamic} {number}")
    themes = rng.sample(sorted(THEMES), rng.choice([1, 1, 2]))
    reads_data = rng.random() < (0.25 if is_dynamic else 0.6)
    definitions = "".join(grammar_containers.CLASSES.values()) if "objects" in themes else ""
    writer = Writer(rng, themes, reads_data, definitions)
    taken = inputs(rng, is_dynamic)
    program = Program(taken, "", "script", is_dynamic, seed, sample=rng.choice(values.SAMPLES))
    scope = writer.scope([(name, "T", array) for (name, _, _), array in zip(taken, values.arrays(program, 0))])
    scope.env["self"] = torch.nn.Identity().eval()
    ends = grammar_control.ENDS[rng.choice(["T", "T", "TT"])]
    with torch.no_grad():
        lines = writer.body(scope, ends, rng.choice([2, 3, 3, 4, 5, 7]), rng.choice([0.05, 0.2, 0.4]))
    parameters = ", ".join(f"{name}: {TYPES['T']}" for name, _, _ in taken)
    forward = f"def forward(self, {parameters}):\n" + textwrap.indent("\n".join(lines), "    ")
    used = "".join(text for name, text in grammar_containers.CLASSES.items() if re.search(rf"\b{name}\b", forward))
    source = f"{PRELUDE}{used}class M(torch.nn.Module):\n{textwrap.indent(forward, '    ')}\n"
    return replace(program, source=source, reads_data=writer.grammar.reads_data)


def programs(seed, is_dynamic):
    """Attempts at a seed's program, until one is good."""
    for number in range(50):
        try:
            yield attempt(seed, is_dynamic, number)
        except (Rejected, TimeoutError):
            pass
