# SPDX-License-Identifier: Apache-2.0
"""Templates and how they are filled.

A template is a line or more of a program with holes:
    <int>       an expression of that type (the short names of scope.TYPES)
    <$Li>       a variable of that type
    <l=$Li>     the same, which <l> then repeats
    <+n:int>    a new variable; <@l:Li> one with its annotation
    <~q>        a name of a comprehension or a short loop
    <*i:int>    a name that the statement's <block> sees
    <#-1:3>     an integer literal between these
"""

import re

from scope import TYPES, Rejected

HOLE = re.compile(r"<([\w$+@~*#=:\-]+)>")
SIZES = (">.size(", ">.shape", "len(<$T>)", ">.numel()")
TRIES = 12
DEEPEST = 2
VARYING = 3  # tries for an expression that varies


def needs(template):
    """The types of which a variable must exist."""
    return set(re.findall(r"<(?:\w+=)?\$(\w+)>", template))


def is_leaf(template):
    return not any(hole in TYPES for hole in HOLE.findall(template))


class Rule:
    def __init__(self, template, is_data=False):
        self.template = template
        self.is_data = is_data
        self.needs = needs(template)
        self.is_leaf = is_leaf(template)
        self.is_container = bool(self.needs - {"int", "float", "bool", "str", "T"})
        self.is_size = any(part in template for part in SIZES)


class Grammar:
    """The rules of a program's themes, by type and "statements"; `reads_data` once a data rule is used."""

    def __init__(self, rng, wants_sizes):
        self.rng = rng
        self.wants_sizes = wants_sizes
        self.rules = {}
        self.reads_data = False
        self.forced = {}  # type: the variable to take
        self.calls = 0

    def add(self, table, is_data=False):
        for kind, templates in table.items():
            is_marked = is_data or kind.startswith("data ")
            for template in templates:
                self.rules.setdefault(kind.removeprefix("data "), []).append(Rule(template, is_marked))

    def possible(self, kind, scope, is_leaf=False):
        have = set(scope.variables.values())
        return [rule for rule in self.rules.get(kind, ()) if rule.needs <= have and (rule.is_leaf or not is_leaf)]

    def choose(self, rules):
        """Containers come more often than their share, sizes where they are open, and data too, once:
        a second reading mostly means a refusal."""
        if not rules:
            raise Rejected("no rule")
        return self.rng.choices(rules, [self.weight(rule) for rule in rules])[0]

    def weight(self, rule):
        if rule.is_data:
            return 0.3 if self.reads_data else 4
        return 1 + 2 * rule.is_container + 6 * (rule.is_size and self.wants_sizes)

    def variable(self, kind, scope):
        """One of a type, rather a new than an old one."""
        if kind in self.forced:
            return self.forced[kind]
        names = scope.of_type(kind)
        if not names:
            raise Rejected(f"no {kind}")
        return self.rng.choices(names, [2 ** min(i, 4) for i in range(len(names))])[0]

    def expression(self, kind, scope, depth=0):
        """One that has a value on the sample; rather one that varies, since the others are easy."""
        wanted = VARYING if depth <= 1 and kind != "T" and self.rng.random() < 0.8 else 0
        found = None
        for _ in range(TRIES):
            before = self.reads_data
            try:
                text = self.expression_by(self.choose(self.possible(kind, scope, depth >= DEEPEST)), scope, depth)
            except Rejected:
                depth += 1
                continue
            if wanted <= 0 or scope.varies(text):
                return text
            found = text if self.reads_data == before else found
            self.reads_data = before
            wanted -= 1
        if found is None:
            raise Rejected(f"no {kind}")
        return found

    def expression_by(self, rule, scope, depth=0):
        before = self.reads_data
        self.reads_data = before or rule.is_data
        try:
            text = self.fill(rule.template, scope, {}, [], depth)
            scope.value(text)
            return text
        except Rejected:
            self.reads_data = before
            raise

    def fill(self, template, scope, names, new, depth=0):
        """The template without holes; `names` gets what was remembered, `new` the new variables."""
        self.calls += 1
        if self.calls > 8000:
            raise TimeoutError("a program that does not come about")
        return HOLE.sub(lambda hole: self.hole(hole.group(1), scope, names, new, depth), template)

    def hole(self, text, scope, names, new, depth):
        if text.startswith("#"):
            low, high = text[1:].split(":")
            return str(self.rng.randint(int(low), int(high)))
        if text[0] in "+@*":
            name, kind = text[1:].split(":")
            names[name] = scope.new_name(name)
            new.append((names[name], kind))
            return f"{names[name]}: {TYPES[kind]}" if text[0] == "@" else names[name]
        if text[0] == "~":
            names[text[1:]] = scope.new_name(text[1:])
            return names[text[1:]]
        if "$" in text:
            name, kind = text.split("$")
            chosen = self.variable(kind, scope)
            if name:
                names[name[:-1]] = chosen
            return chosen
        return self.expression(text, scope, depth + 1) if text in TYPES else names[text]
