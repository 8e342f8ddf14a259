# SPDX-License-Identifier: Apache-2.0
"""Random networks: programs(seed, is_dynamic) are the same wherever they are made.

A row of layers_*.py makes a variable of one kind of another. A tensor's kind says what its axes are:

    V  [N, C]         S  [N, time, C]    L  [N, C, time]    I  [N, C, height, width]
    W  [N, time]      D  [N, time], ids  Q  [N, a, b, C]    M  [N, time], bool: what is no padding

In a row, `{a|b}` is one of several texts, and a text in backquotes makes an attribute of the module. {x} is the
variable that is read, {y} the one that is made, {z} another one of x's kind, {S} one of the kind S, {n} the input of
lengths, {0} the size of an axis of x, {C} and {S.C} are numbers of channels, {a} the axis of x's, {O} is one that is
chosen, {k} a number for names. `script` marks what no trace may hold, `data` what depends on numbers that are read.
"""

import random
import re
import textwrap
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import nn

import layers_shapes
import layers_space
import layers_time
import values
from program import PRELUDE, Program
from scope import Rejected, execute

CHANNELS = {"V": 1, "S": 2, "L": 1, "I": 1, "Q": 3}  # kind: the axis of channels
RANKS = {"V": 2, "S": 3, "L": 3, "I": 4, "Q": 4, "W": 2, "D": 2, "M": 2}
EACH = {f"{kind} > {kind}": layers_shapes.EACH for kind in CHANNELS}
TOPICS = [
    layers_time.RECURRENT, layers_time.LOOPS, layers_time.ATTENTION, layers_time.MASKS, layers_time.SPECTRA,
    layers_space.CONVOLUTIONS, layers_space.POOLS, layers_space.RESIZING, layers_space.NORMS, layers_space.PADS,
]
ALWAYS = [layers_shapes.DENSE, layers_shapes.SHAPES, layers_shapes.EMBEDDINGS, EACH]
# The first input: its kind, dtype and axes. Letters are open, or a size that is drawn.
FIRST = [
    ("S", "f32", ["B", "T", 4]), ("S", "f32", ["B", "T", 6]), ("S", "f32", ["B", "T", 3]), ("L", "f32", ["B", 4, "T"]), ("L", "f32", ["B", 2, "T"]),
    ("I", "f32", ["B", 3, "T", "S"]), ("I", "f32", ["B", 4, "T", "S"]), ("I", "f32", ["B", 1, "T", "S"]), ("Q", "f32", ["B", "T", "S", 4]),
    ("V", "f32", ["B", 6]), ("W", "f32", ["B", "T"]), ("D", "i64", ["B", "T"]),
]
SECOND = [("S", "f32", ["B", "S", 4]), ("S", "f32", ["B", "T", 4]), ("V", "f32", ["B", 4]), ("D", "i64", ["B", "S"])]
SAMPLES = [(2, 8, 6), (3, 7, 9), (2, 12, 8), (4, 9, 5), (5, 6, 10), (1, 10, 8), (2, 16, 16), (3, 11, 4)]
SHADOWS = [(3, 13, 11), (6, 10, 18)]  # sizes at which a network has to run, too
VARIED = """for p in list(self.parameters()) + list(self.buffers()):
    if p.is_floating_point():
        p.add_((torch.rand_like(p) - 0.5) / 4)
"""
IMPORT = "from torch import nn\n"
LARGEST = 30000  # elements
ATTEMPTS = 50
ROW_ATTEMPTS = 30
SECONDS = 10  # for a line: the first use of a part of torch loads it
RTOL = 1e-4


class Row(NamedTuple):
    marks: list
    made: str  # the kind
    text: str
    weight: float


def rows_of(tables, share):
    """The rows of tables by the kind that they read."""
    found = {}
    for table in tables:
        for head, texts in table.items():
            *marks, kind, _, made = head.split()
            found.setdefault(kind, []).extend(Row(marks, made, text, share / len(texts) ** 0.5) for text in texts)
    return found


class Function:
    """One forward under way: its lines, and what its variables are at several sizes."""

    def __init__(self, author, kinds, envs):
        self.author, self.rng = author, author.rng
        self.kinds = kinds  # name: kind
        self.envs = envs
        self.module = nn.Module()
        for env in envs:
            env["self"] = self.module
        self.made, self.lines, self.read = [], [], set()

    def channels(self, name):
        axis = CHANNELS.get(self.kinds[name])
        sizes = {env[name].size(axis) for env in self.envs} if axis is not None else ()
        if len(sizes) != 1:
            raise Rejected("no number of channels")
        return sizes.pop()

    def of_kind(self, kind, but=None):
        """A variable, late ones first."""
        names = [name for name, its in self.kinds.items() if its == kind and name != but]
        if not names:
            raise Rejected(f"no {kind}")
        name = self.rng.choices(names, [2 ** i for i in range(len(names))])[0]
        self.reading.add(name)
        return name

    def hole(self, key, x, known):
        kind = self.kinds[x]
        if key.isdigit():
            return f"{x}.size({key})" if self.author.says_size else f"{x}.shape[{key}]"
        if key == "z":
            return self.of_kind(kind, but=x)
        if key in RANKS or key == "n":
            return self.of_kind(key)
        if key.endswith(".C"):
            return str(self.channels(known[key[0]] if key[0] in known else known.setdefault(key[0], self.of_kind(key[0]))))
        made = {"C": lambda: str(self.channels(x)), "a": lambda: str(CHANNELS[kind]), "O": lambda: str(self.rng.choice([2, 3, 4, 4, 6]))}
        return made[key]()

    def filled(self, text, x, known):
        def fill(match):
            options = re.split(r"\|(?![^{}]*\})", match.group(1))
            if len(options) > 1:
                return self.filled(self.rng.choice(options), x, known)
            if options[0] not in known:
                known[options[0]] = self.hole(options[0], x, known)
            return known[options[0]]
        return re.sub(r"\{((?:[^{}]|\{[^{}]*\})*)\}", fill, text)

    def attributes(self, text):
        """The text with the names of attributes for what is in backquotes, and the lines that make those."""
        lines, reused = [], 0.3

        def attribute(match):
            same = [line.split(" = ")[0] for line in self.made + lines if line.endswith(f" = {match.group(1)}")]
            if same and self.rng.random() < reused:
                return self.rng.choice(same)
            name = f"self.m{len(self.made) + len(lines) + 1}"
            lines.append(f"{name} = {match.group(1)}")
            return name
        return re.sub(r"`([^`]*)`", attribute, text), lines

    def row(self, x, wanted=None):
        """Adds a line made by one of the rows for x, if it runs at all sizes."""
        rows = [row for row in self.author.rows[self.kinds[x]] if self.author.allows(row) and wanted in (None, row.made)]
        if not rows:
            raise Rejected(f"no row for {self.kinds[x]}")
        row = self.rng.choices(rows, [each.weight for each in rows])[0]
        self.author.names += 1
        y, self.reading = f"v{self.author.names}", {x}
        text = self.filled(row.text, x, {"x": x, "y": y, "k": str(self.author.names)})
        self.add(y, row.made, *self.attributes(text if re.search(rf"\b{y}\b =", text) else f"{y} = {text}"))
        self.author.reads_data |= "data" in row.marks

    def add(self, y, kind, text, attributes):
        for line in attributes:
            execute(line, self.envs[0], SECONDS)
        envs = [dict(env) for env in self.envs]
        for env in envs:
            if self.author.is_half:
                self.module.half()
            execute(text, env, SECONDS)
            made = env[y]
            if made.dim() != RANKS[kind] or made.numel() > LARGEST or made.numel() == 0 or made.is_floating_point() == (kind in "DM") or made.is_complex():
                raise Rejected("no such kind")
        if kind in CHANNELS and (not bool(torch.isfinite(envs[0][y]).all()) or envs[0][y].size(CHANNELS[kind]) > 24):
            raise Rejected("too large")
        self.read |= self.reading
        self.envs, self.kinds = envs, self.kinds | {y: kind}
        self.made += attributes
        self.lines += text.split("\n")

    def step(self, wanted=None):
        """One more line, most often of the last variable."""
        names = [name for name in self.kinds if self.kinds[name] not in "Mn"]
        for _ in range(ROW_ATTEMPTS):
            try:
                return self.row(names[-1] if self.rng.random() < 0.8 else self.rng.choice(names), wanted)
            except (Rejected, AttributeError, KeyError):
                pass
        raise Rejected("no row runs")

    def end(self):
        """What is returned: everything that nothing reads."""
        return [name for name, kind in self.kinds.items() if name not in self.read and name.startswith("v")][-3:]

    def initialiser(self, head):
        lines = [*self.made, *(VARIED.splitlines() if head else []), *(["self.half()"] if head and self.author.is_half else [])]
        return "    def __init__(self):\n        super().__init__()\n" + textwrap.indent("\n".join([head] * bool(head) + lines), " " * 8) + "\n" * bool(lines or head)

    def forward(self, parameters, result):
        signature = ", ".join(f"{name}: Tensor" for name in parameters)
        return f"    def forward(self, {signature}):\n" + textwrap.indent("\n".join([*self.lines, f"return {result}"]), " " * 8) + "\n"


class Author:
    """What the functions of one network have in common."""

    def __init__(self, rng, is_dynamic, seed):
        self.rng = rng
        topics, always = rows_of(rng.sample(TOPICS, 3), 3), rows_of(ALWAYS, 1)
        self.rows = {kind: topics.get(kind, []) + always.get(kind, []) for kind in RANKS}
        self.names = 0
        self.is_half, self.says_size = rng.random() < 0.1, rng.random() < 0.7
        self.may_read, self.reads_data = rng.random() < 0.15, False
        self.mode = rng.choice(["script", "trace"])
        self.classes = ""
        self.kinds, given = self.inputs(is_dynamic)
        self.program = Program(given, "", self.mode, is_dynamic, seed, sample=rng.choice(SAMPLES), rtol=RTOL)

    def inputs(self, is_dynamic):
        """The kinds of the inputs by name, and the inputs."""
        first, chosen = self.rng.choice(FIRST), {}
        if first[0] in "SLWDQ" and self.rng.random() < 0.4:
            chosen["n"] = ("n", "i64", ["B"])
        if self.rng.random() < 0.25:
            chosen["y"] = self.rng.choice(SECOND)
        chosen["x"] = first
        letters = sorted({axis for _, _, axes in chosen.values() for axis in axes if isinstance(axis, str)})
        opened = set(self.rng.sample(letters, self.rng.randint(1, len(letters)))) if is_dynamic else set()
        sizes = {letter: self.rng.choice([1, 2, 3] if letter == "B" else [6, 7, 8, 9, 12, 16]) for letter in letters}
        dtypes = {"f32": "f16" if self.is_half else "f32", "i64": "i64"}
        given = [[name, dtypes[dtype], [axis if axis in opened or isinstance(axis, int) else sizes[axis] for axis in axes]] for name, (_, dtype, axes) in chosen.items()]
        return {name: kind for name, (kind, _, _) in chosen.items()}, given

    def allows(self, row):
        return ("data" not in row.marks or self.may_read) and ("script" not in row.marks or self.mode == "script")

    def environments(self):
        base = {}
        exec(PRELUDE + IMPORT + self.classes, base)
        programs = [replace(self.program, sample=sizes) for sizes in [self.program.sample, *SHADOWS]]
        names = [name for name, _, _ in self.program.inputs]
        return [base | dict(zip(names, values.arrays(each, 0))) for each in programs]

    def block(self, function, x):
        """A module of its own, from x's kind to the same shape, used several times."""
        kind, before = function.kinds[x], self.classes
        inner = Function(self, {"x": kind}, [dict(env, x=env[x]) for env in function.envs])
        names = self.names
        for _ in range(self.rng.randint(1, 2)):
            inner.step(kind)
        last = list(inner.kinds)[-1]
        if any(a[last].shape != a["x"].shape for a in inner.envs):
            raise Rejected("a block keeps the shape")
        name = f"Block{names}"
        result = self.rng.choice([last, f"x + {last}", f"x * 0.5 + {last}.tanh()"])
        self.classes = before + f"class {name}(nn.Module):\n" + inner.initialiser("") + inner.forward(["x"], result)
        for env in function.envs:
            exec(PRELUDE + IMPORT + self.classes, env)
        self.use_block(function, x, f"{name}()")

    def use_block(self, function, x, made):
        self.names += 1
        y, attribute = f"v{self.names}", f"self.b{self.names}"
        forms = [(f"{y} = {attribute}({attribute}({x}))", made), (f"{y} = {x}\nfor layer in {attribute}:\n    {y} = layer({y})", f"nn.ModuleList([{made}, {made}])"),
                 (f"{y} = {attribute}({x})\n{y} = {attribute}({y}) + {x}", made), (f"{y} = {attribute}({x})", f"nn.Sequential({made}, {made})")]
        function.reading = {x}
        text, made = self.rng.choice(forms)
        function.add(y, function.kinds[x], text, [f"{attribute} = {made}"])

    def write(self):
        function = Function(self, dict(self.kinds), self.environments())
        if "n" in self.kinds:
            kept, axis = self.rng.choice(["n", "n.clamp(min=1)", "(n.abs() + 1)"]), 2 if self.kinds["x"] == "L" else 1
            function.reading = set()
            function.add("m0", "M", f"m0 = torch.arange(x.size({axis}))[None] < {kept}[:, None]", [])
        length = self.rng.choice([2, 3, 3, 4, 4, 5, 6, 8])
        while len(function.kinds) - len(self.kinds) < length:
            if self.rng.random() < 0.12:
                try:
                    self.block(function, [name for name in function.kinds if function.kinds[name] in CHANNELS][-1])
                    continue
                except (Rejected, IndexError):
                    pass
            function.step()
        if "m0" not in function.read:
            function.lines = [line for line in function.lines if not line.startswith("m0 =")]
        source = PRELUDE + IMPORT + self.classes + "class M(nn.Module):\n" + function.initialiser(f"torch.manual_seed({self.program.seed % 97})")
        if self.mode == "trace" and self.rng.random() < 0.3:
            source = re.sub(r"(self\.b\d+ = )(Block\d+\(\))", r"\1torch.jit.script(\2)", source)
        body = "\n".join(function.lines)
        inputs = sorted((each for each in self.program.inputs if re.search(rf"\b{each[0]}\b", body)), key=lambda each: each[0] != "x")
        source += function.forward([name for name, _, _ in inputs], ", ".join(function.end()))
        made = replace(self.program, inputs=inputs, source=source, reads_data=self.reads_data)
        if made.dynamic and not made.axes:
            raise Rejected("no axis is open")
        return made


def programs(seed, is_dynamic):
    """Attempts at a seed's network; whoever takes one stops at the first that torch accepts."""
    for number in range(ATTEMPTS):
        rng = random.Random(f"{seed} {is_dynamic} {number} layers")
        torch.manual_seed(seed)
        try:
            with torch.no_grad():
                yield Author(rng, is_dynamic, seed).write()
        except (Rejected, TimeoutError):
            pass
