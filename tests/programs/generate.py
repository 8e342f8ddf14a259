# SPDX-License-Identifier: Apache-2.0
"""Random programs: programs(seed, is_dynamic) are the same wherever they are made."""

import random
import re
import textwrap
from dataclasses import replace

import torch

import grammar_containers
import grammar_control
import grammar_modules
import grammar_numbers
import grammar_tensors
import values
from program import PRELUDE, Program
from scope import Rejected
from writer import Writer

THEMES = {
    "lists": (grammar_containers.LISTS,),
    "dictionaries": (grammar_containers.DICTS, grammar_containers.LISTS),
    "objects": (grammar_containers.OBJECTS,),
    "strings": (grammar_numbers.STRINGS,),
    "views": (grammar_tensors.VIEWS,),
    "numbers": (),
    "modules": (grammar_modules.MODULES,),
}
STATIC_INPUTS = [["x", "f32", [4, 3]], ["y", "f32", [4, 3]], ["z", "i64", [4]], ["m", "bool", [4]]]
DYNAMIC_INPUTS = {
    "x": [["f32", ["B", 3]], ["f32", ["B", 3]], ["f32", ["B", "T"]], ["f32", ["B"]], ["f32", [2, "B"]]],
    "y": [["f32", ["T", 3]], ["f32", ["B", 3]], ["f32", [2, 3]], ["f32", ["T"]], ["f32", ["B", "T"]]],
    "z": [["i64", ["B"]], ["i64", ["T"]], ["i64", [4]]],
}
DATA_SHARES = {True: 0.15, False: 0.6}  # by is_dynamic: how many programs may read data
TRACED_SHARE = 0.08
SHADOWS = (1, 2, 7, 11)  # the sets of values that choices are compared with
ATTEMPTS = 50


def inputs(rng, is_dynamic):
    if not is_dynamic:
        return STATIC_INPUTS[:1] + [each for each in STATIC_INPUTS[1:] if rng.random() < 0.3]
    shares = {"x": 1.0, "y": 0.5, "z": 0.2}
    return [[name, *rng.choice(DYNAMIC_INPUTS[name])] for name, share in shares.items() if rng.random() < share]


class Author:
    """What the functions of one program have in common."""

    def __init__(self, rng, is_dynamic, seed):
        self.rng = rng
        self.themes = rng.sample(sorted(THEMES), rng.choice([1, 1, 2]))
        self.may_read = rng.random() < DATA_SHARES[is_dynamic]
        self.reads_data = False
        mode = "trace" if rng.random() < TRACED_SHARE else "script"
        self.program = Program(inputs(rng, is_dynamic), "", mode, is_dynamic, seed, sample=rng.choice(values.SAMPLES))
        self.tensors, self.others = values.arrays(self.program, 0), values.arrays(self.program, rng.choice(SHADOWS))

    def function(self, header, themes, parameters, ends, definitions="", self_=None):
        """The text of a function whose body is random."""
        tables = {id(table): table for theme in themes for table in THEMES[theme]}
        writer = Writer(self.rng, list(tables.values()), self.may_read, self.program.dynamic, definitions)
        scope = writer.scope(parameters, self_)
        with torch.no_grad():
            lines = writer.body(scope, ends, self.rng.choice([1, 2, 2, 3, 3, 4, 6]), self.rng.choice([0.05, 0.2, 0.4]))
        self.reads_data |= writer.grammar.reads_data
        indent = header[:len(header) - len(header.lstrip())] if header.count("\n") == 1 else "    "
        return header + textwrap.indent("\n".join(lines), indent + "    ") + "\n"

    def classes(self):
        return "".join(grammar_containers.CLASSES.values()) if "objects" in self.themes else ""

    def modules(self):
        """Functions and submodules, and the main module's beginning."""
        plain = ["numbers", self.rng.choice(["lists", "views", "dictionaries", "strings"])]
        n, t = ("n", "int", 3, 5), ("t", "T", self.tensors[0], self.others[0])
        helper = self.rng.choice(["", "@torch.jit.script\n"]) + self.function(grammar_modules.HELPER, plain, [n, t], ["int"])
        part = self.function(grammar_modules.PART, plain, [t, n], grammar_control.TENSOR_ENDS)
        body = self.function(grammar_modules.PLAIN, ["views"], [t], ["{t}", "{u}"])
        count = self.function(grammar_modules.COUNT, plain, [t, n], ["int"])
        shape = list(self.tensors[0].shape)
        made = self.rng.choice(["Plain()", f"torch.jit.trace(Plain(), (torch.ones({shape}),), check_trace=False)", "torch.jit.script(Plain())"])
        is_scripted = self.program.mode == "trace" and self.rng.random() < 0.7
        main = grammar_modules.MAIN.format(part="torch.jit.script(Part(3))" if is_scripted else "Part(3)", plain=made)
        return helper + part + body, main + count

    def write(self):
        classes = self.classes()
        before, head = self.modules() if "modules" in self.themes else ("", "class M(torch.nn.Module):\n")
        definitions = classes + before
        main = head if before else head + "    pass\n"
        parameters = [(each[0], "T", *pair) for each, *pair in zip(self.program.inputs, self.tensors, self.others)]
        ends = grammar_control.ENDS[self.rng.choice(["T", "T", "TT"])]
        signature = ", ".join(f"{name}: Tensor" for name, *_ in parameters)
        forward = self.function(f"    def forward(self, {signature}):\n", self.themes, parameters, ends, definitions + main, "M().eval()")
        used = "".join(text for name, text in grammar_containers.CLASSES.items() if re.search(rf"\b{name}\b", before + forward))
        return replace(self.program, source=PRELUDE + used + before + head + forward, reads_data=self.reads_data)


def programs(seed, is_dynamic):
    """Attempts at a seed's program; whoever takes one stops at the first that torch accepts."""
    for number in range(ATTEMPTS):
        try:
            yield Author(random.Random(f"{seed} {is_dynamic} {number}"), is_dynamic, seed).write()
        except (Rejected, TimeoutError):
            pass
