# SPDX-License-Identifier: Apache-2.0
"""Finds places for one-line faults in C++ as clang-format leaves it: statements and conditions in function bodies.

A place is an expression that stands whole between its own delimiters, so that a choice between two copies of it,
one of them at fault, can be written in its stead. Nothing in constant expressions and nothing in assertions.
"""

import hashlib
import re
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ ]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<string>(?:u8|L)?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|L)?"(?:\\.|[^"\\\n])*")
  | (?P<number>\.?\d(?:'?[\w.]|(?<=[eE])[+-])*)
  | (?P<char>'(?:\\.|[^'\\\n])+')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><=>|<<=|>>=|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|[^\s\w])
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

CONTROL = {"if", "for", "while", "switch", "catch"}
NO_PLACE = {"using", "static_assert", "static", "constexpr", "typedef", "goto", "throw", "delete", "T2N_ASSERT", "thread_local", "struct"}
UNSEEN = {"reserve"}  # costs time, and nothing else
TYPES = {"namespace", "struct", "class", "union", "enum", "extern"}

SWAPS = {"<": "<=", ">": ">=", "<=": "<", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+="}
GROUPS = {"+": "sums", "-": "sums", "*": "sums", "/": "sums", "%": "sums", "+=": "sums", "-=": "sums",
          "&&": "logic", "||": "logic", "==": "equal", "!=": "equal"}
WORDS = {"true": "false", "false": "true", "min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of",
         "none_of": "any_of", "front": "back", "back": "front", "first": "last", "last": "first"}


# How often a group of rules is drawn: small faults rather than gross ones, which are the most places.
WEIGHTS = {"left out": 0.08, "nothing": 0.06, "negated": 0.3, "numbers": 0.4}


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Fault(NamedTuple):
    group: str  # what kind of rule it is of
    rule: str  # as the page shows it
    start: int  # where in the file the changed token stands
    text: str  # the expression at fault


class Place(NamedTuple):
    kind: str  # condition, value, return, statement, jump
    start: int
    end: int
    faults: tuple


def tokens_of(text):
    return [Token(match.lastgroup if match.lastgroup != "mark" else "string", match[0], match.start(), match.end())
            for match in TOKEN.finditer(text) if not match.lastgroup == "comment"]


class Scope:
    """An open bracket: what it holds, and for a brace where the statement in it began."""

    def __init__(self, kind, first):
        self.kind = kind  # file, type, code, constant, lambda, list; or ( or [
        self.first = first
        self.lambdas = False  # whether the statement holds a lambda

    def is_code(self):
        return self.kind in ("code", "lambda")

    def has_statements(self):
        return self.kind in ("file", "type", "code", "lambda", "constant")


class Finder:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.places = []

    def spaced(self, at):
        """Whether white space is on both sides: clang-format sets signs between operands so, and no others."""
        token = self.tokens[at]
        return self.text[token.start - 1].isspace() and self.text[token.end:token.end + 1].isspace()

    def gap_before(self, at):
        return self.text[self.tokens[at].start - 1].isspace()

    def find(self):
        scopes = [Scope("file", 0)]
        for at, token in enumerate(self.tokens):
            if token.kind == "directive":
                scopes[-1].first = at + 1
            elif token.kind != "sign":
                if token.text in ("else", "do") and scopes[-1].first == at:
                    scopes[-1].first = at + 1
            elif token.text in "([":
                scopes.append(Scope(token.text, at))
            elif token.text in ")]":
                self.close_parenthesis(scopes, at)
            elif token.text == "{":
                scopes.append(Scope(self.brace_kind(scopes, at), at + 1))
            elif token.text == "}":
                self.close_brace(scopes, at)
            elif token.text == ";" and scopes[-1].has_statements():
                self.statement(scopes[-1], at)
            elif token.text == ":" and self.tokens[scopes[-1].first].text in ("case", "default"):
                scopes[-1].first = at + 1
        return self.places

    def brace_kind(self, scopes, at):
        before, gap = self.tokens[at - 1], self.gap_before(at)
        scope = scopes[-1]
        opens_body = before.text in (")", "]") or (gap and (before.kind == "word" or before.text in (">", "&", "*")) and before.text != "return")
        if not scope.has_statements():
            return self.lambda_in(scopes) if opens_body else "list"
        statement = [token.text for token in self.tokens[scope.first:at]]
        if scope.kind in ("file", "type"):
            if set(statement) & TYPES and "(" not in statement:
                return "type"
            if before.text in ("=", ",") or not gap:
                return "list"
            return "constant" if {"constexpr", "consteval"} & set(statement) else "code"
        if not statement or statement[0] in ("try", "catch"):
            return scope.kind
        if statement[0] in ("struct", "enum", "class"):
            return "type"
        return self.lambda_in(scopes) if opens_body else "list"

    def lambda_in(self, scopes):
        kind = "lambda"
        for scope in reversed(scopes):
            scope.lambdas = True
            if scope.has_statements():
                kind = "lambda" if scope.kind in ("code", "lambda", "file", "type") else "constant"
                break
        return kind

    def close_parenthesis(self, scopes, at):
        scope = scopes.pop()
        outer = scopes[-1]
        if scope.lambdas:
            outer.lambdas = True
        first = self.tokens[outer.first]
        is_head = outer.has_statements() and first.text in CONTROL and self.control_opens(outer.first) == scope.first
        if not is_head:
            return
        if outer.is_code() and not scope.lambdas and self.tokens[outer.first + 1].text != "constexpr":
            self.condition(first.text, scope.first + 1, at)
        outer.first, outer.lambdas = at + 1, False

    def control_opens(self, at):
        return at + 2 if self.tokens[at + 1].text == "constexpr" else at + 1

    def close_brace(self, scopes, at):
        scope = scopes.pop()
        outer = scopes[-1]
        if scope.kind in ("code", "constant", "type") and outer.has_statements():
            outer.first, outer.lambdas = at + 1, False

    def condition(self, word, first, end):
        if word not in ("if", "while", "for"):
            return
        semicolons = [at for at in range(first, end) if self.tokens[at].text == ";"]
        if word == "for":
            if len(semicolons) != 2:
                return
            first, end = semicolons[0] + 1, semicolons[1]
        elif semicolons:
            first = semicolons[-1] + 1
        if first < end and not any(token.text == "=" for token in self.tokens[first:end]):
            self.add("condition", first, end, negated=word == "if")

    def statement(self, scope, end):
        first, lambdas = scope.first, scope.lambdas
        scope.first, scope.lambdas = end + 1, False
        if not scope.is_code() or lambdas or first >= end:
            return
        word = self.tokens[first].text
        if word in NO_PLACE or any(token.text in UNSEEN for token in self.tokens[first:end]):
            return
        if word in ("break", "continue"):
            self.add("jump", first, end)
        elif word == "return":
            if first + 1 < end and self.tokens[first + 1].text != "{":
                self.add("return", first + 1, end)
        else:
            self.value_or_call(first, end)

    def value_or_call(self, first, end):
        assigns = self.top_level_assignment(first, end)
        if self.declares(first, assigns or end):
            if assigns and self.tokens[assigns + 1].text != "{":
                self.add("value", assigns + 1, end)
        elif not (assigns and self.tokens[assigns + 1].text == "{"):
            self.add("statement", first, end)

    def top_level_assignment(self, first, end):
        depth = 0
        for at in range(first, end):
            text = self.tokens[at].text
            depth += (text in "([{") - (text in ")]}") if len(text) == 1 else 0
            if text == "=" and depth == 0:
                return at
        return None

    def declares(self, first, end):
        """Whether a name follows a type: two words side by side, outside brackets."""
        depth = 0
        for at in range(first, end):
            token = self.tokens[at]
            if depth == 0 and at > first and token.kind == "word" or token.text == "[" and at > first and depth == 0 and self.gap_before(at):
                before = self.tokens[at - 1]
                if before.kind == "word" or (before.text in (">", "&", "*", "&&") and self.gap_before(at)):
                    return True
            depth += (token.text in "([{") - (token.text in ")]}") if len(token.text) == 1 else 0
        return False

    def rewritten(self, first, end, edits):
        """The tokens on one line without comments, some replaced."""
        out, last = [], None
        for at in range(first, end):
            token = self.tokens[at]
            if last is not None and last != token.start:
                out.append(" ")
            out.append(edits.get(at, token.text))
            last = token.end
        return "".join(out)

    def add(self, kind, first, end, negated=False):
        if any(token.kind == "directive" for token in self.tokens[first:end]):
            return
        start = self.tokens[first].start
        whole = self.rewritten(first, end, {})
        faults = []
        for at in range(first, end):
            for group, rule, edits in self.edits(at, first, end):
                faults.append(Fault(group, rule, self.tokens[at].start, self.rewritten(first, end, edits)))
        if negated:
            faults.append(Fault("negated", "condition negated", start, f"!({whole})"))
        if kind in ("statement", "jump"):
            faults.append(Fault("left out", "left out", start, ""))
        if kind == "return" and len(whole) > 2 and whole not in ("true", "false"):
            faults.append(Fault("nothing", "returns {}", start, "{}"))
        if faults:
            self.places.append(Place(kind, start, self.tokens[end - 1].end, tuple(faults)))

    def edits(self, at, first, end):
        token = self.tokens[at]
        following = self.tokens[at + 1].text
        before = self.tokens[at - 1].text
        if token.kind == "number":
            yield from self.number_edits(at, before, following)
        elif token.text in SWAPS and at > first and self.spaced(at):
            yield GROUPS.get(token.text, "order"), f"{token.text} to {SWAPS[token.text]}", {at: SWAPS[token.text]}
        elif token.text == "!" and before not in ("operator",):
            yield "not", "! dropped", {at: ""}
        elif token.kind == "word" and self.is_swapped_word(token.text, before, following):
            yield "words", f"{token.text} to {WORDS[token.text]}", {at: WORDS[token.text]}
        elif token.text == "begin" and before == "." and at + 2 < end and self.tokens[at + 2].text == ")":
            yield "words", "begin() to begin() + 1", {at + 2: ") + 1"}

    def is_swapped_word(self, text, before, following):
        if text in ("true", "false"):
            return True
        if text in ("min", "max", "any_of", "all_of", "none_of"):
            return before == "::" and following == "("
        return text in WORDS and before == "." and following == "("

    def number_edits(self, at, before, following):
        text = self.tokens[at].text
        in_template = before == "<" and not self.spaced(at - 1) or following == ">" and not self.spaced(at + 1)
        if in_template:
            return
        if re.fullmatch(r"\d+", text):
            yield "numbers", f"{text} to {int(text) + 1}", {at: str(int(text) + 1)}
            if int(text):
                yield "numbers", f"{text} to {int(text) - 1}", {at: str(int(text) - 1)}
        elif re.fullmatch(r"\d+\.\d*(e[+-]?\d+)?", text):
            yield "numbers", f"{text} to {text} + 1", {at: f"({text} + 1)"}


class Mutant(NamedTuple):
    file: str
    number: int  # of the line
    line: str  # its text, without which a number says little
    fault: Fault
    place: Place
    rank: float  # drawn from the texts above alone: what changes elsewhere changes nothing here

    @property
    def key(self):
        return f"{self.file}: {self.fault.rule}: {self.line}"


def drawn(name, group):
    """The smaller the sooner."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:12], 16) / 16**12 / WEIGHTS.get(group, 1)


def mutants_of(file, text):
    """One fault for each place."""
    out, seen = [], {}
    for place in Finder(text).find():
        each = []
        for fault in place.faults:
            line_start = text.rfind("\n", 0, fault.start) + 1
            line = " ".join(text[line_start:text.find("\n", fault.start)].split())
            name = f"{file}\n{line}\n{fault.rule}"
            seen[name] = seen.get(name, 0) + 1
            rank = drawn(f"{name}\n{seen[name]}", fault.group)
            each.append(Mutant(file, text.count("\n", 0, fault.start) + 1, line, fault, place, rank))
        out.append(min(each, key=lambda mutant: mutant.rank))
    return out


def switched(text, mutants):
    """The text with the faults in it; numbers by mutant, in a dictionary."""
    for mutant, number in sorted(mutants.items(), key=lambda item: -item[0].place.start):
        start, end, kind, fault = mutant.place.start, mutant.place.end, mutant.place.kind, mutant.fault.text
        original, chosen = text[start:end], f"t2n_mutant({number})"
        if mutant.fault.group == "left out":
            end = text.index(";", end) + 1
            new = f"{{ if (!{chosen}) {original}; }}"
        elif mutant.fault.group == "nothing":
            start = text.rindex("return", 0, start)
            end = text.index(";", end) + 1
            new = f"{{ if ({chosen}) return {{}}; return {original}; }}"
        elif kind == "condition":
            new = f"{chosen} ? static_cast<bool>({fault}) : static_cast<bool>({original})"
        elif kind == "statement":
            new = f"{chosen} ? (void)({fault}) : (void)({original})"
        else:
            new = f"{chosen} ? ({fault}) : ({original})"
        text = text[:start] + new + text[end:]
    return text
