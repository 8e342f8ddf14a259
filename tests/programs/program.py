# SPDX-License-Identifier: Apache-2.0
"""A program: a module's source with its inputs. As text, the file of a kept case; as code, torch's.

    # inputs: [["x", "f32", ["B", 3]], ["z", "i64", [4]]]
    # WRONG: what was seen, any number of such lines
    # mode: script  dynamic: 1  seed: 3

and the source, which defines `class M`. `mode` is how M is saved: `script` or `trace`. Letters in a
shape are axes that the export declares open. `data: 0` says that nothing is read from data,
`sample: 4,6,2` that the export is shown the sizes B=4, T=6 and S=2; else 5, 4 and 6, `roll: 1` that it is
given --roll-loops, and `rtol: 0.0001` that outputs may differ by that part of their largest number.
"""

import itertools
import json
import linecache
import re
import sys
import types
import warnings
from dataclasses import dataclass, field, replace

import torch

import values
from scope import limited

PRELUDE = """import math
from typing import Dict, List, NamedTuple, Optional, Tuple
import torch
import torch.nn.functional as F
from torch import Tensor
"""

NUMBERS = itertools.count()


@dataclass(frozen=True)
class Program:
    inputs: list  # of [name, dtype, shape]
    source: str
    mode: str = "script"
    dynamic: bool = False
    seed: int = 0
    reads_data: bool = True
    sample: tuple = (5, 4, 6)  # the sizes B, T and S that the export is shown
    rolls: bool = False
    rtol: float = 0.0  # of an output's largest number; 0: both sides compute the same numbers
    notes: tuple = field(default=())  # lines about what was seen

    @property
    def axes(self):
        """The --dynamic options: `x:0=B`."""
        return [f"{name}:{i}={size}" for name, _, shape in self.inputs
                for i, size in enumerate(shape) if isinstance(size, str)]


def to_text(program):
    lines = [f"# inputs: {json.dumps(program.inputs)}"]
    lines += [f"# {note}" for note in program.notes]
    facts = f"mode: {program.mode}  dynamic: {int(program.dynamic)}  seed: {program.seed}  data: {int(program.reads_data)}"
    facts += f"  sample: {','.join(map(str, program.sample))}" if program.dynamic else ""
    facts += f"  rtol: {program.rtol}" if program.rtol else ""
    lines.append(f"# {facts}" + ("  roll: 1" if program.rolls else ""))
    return "\n".join(lines) + "\n" + program.source.rstrip("\n") + "\n"


def from_text(text):
    header = re.match(r"(?:#.*\n)+", text).group(0)
    inputs = json.loads(re.search(r"^# inputs: (.*)$", header, re.M).group(1))
    facts = dict(re.findall(r"(\w+): ([\w,.-]+)", re.search(r"^# (mode: .*)$", header, re.M).group(1)))
    notes = [line[2:] for line in header.splitlines() if not re.match(r"# (inputs|mode): ", line)]
    return Program(inputs, text[len(header):], facts["mode"], facts["dynamic"] == "1",
                   int(facts["seed"]), facts.get("data", "1") == "1",
                   tuple(int(size) for size in facts.get("sample", "5,4,6").split(",")),
                   facts.get("roll") == "1", float(facts.get("rtol", "0")), tuple(notes))


def load_source(source, name):
    """The module that a source makes: registered as `name`, since torch.jit.script looks there."""
    module = types.ModuleType(name)
    module.__file__ = f"<{name}>"
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(True), module.__file__)
    sys.modules[name] = module
    exec(compile(source, module.__file__, "exec"), module.__dict__)
    return module


def unload_source(name):
    sys.modules.pop(name, None)
    linecache.cache.pop(f"<{name}>", None)


def save(program, path):
    """Writes the module as TorchScript; raises what Python or torch says against it."""
    name = f"program_{next(NUMBERS)}"  # torch never forgets a class: a name serves once
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            model = load_source(program.source, name).M().eval()
            sample = tuple(values.arrays(program, 0))
            saved = torch.jit.trace(model, sample, check_trace=False) if program.mode == "trace" else torch.jit.script(model)
            torch.jit.save(saved, str(path))
    finally:
        unload_source(name)


def runs_in_python(program):
    """Whether the module runs on its sample without torch's compiler, which takes some nonsense."""
    name = f"program_{next(NUMBERS)}"
    try:
        with limited(5), torch.no_grad():
            load_source(program.source, name).M().eval()(*values.arrays(program, 0))
        return True
    except Exception:
        return False
    finally:
        unload_source(name)


def with_notes(program, *notes):
    return replace(program, notes=notes)
