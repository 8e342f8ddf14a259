# SPDX-License-Identifier: Apache-2.0
"""The state of a program that is being written: its lines so far, and what they compute on the sample.

TorchScript is a part of Python, so that each statement is run as soon as it is chosen: what raises
is dropped, and later choices know shapes, lengths and numbers.
"""

import contextlib
import copy
import re
import resource
import signal
from pathlib import Path

import torch

MOST_MEMORY = 2 << 30  # bytes that a statement of a program may take

TYPES = {
    "int": "int", "float": "float", "bool": "bool", "str": "str", "T": "Tensor",
    "Li": "List[int]", "Lf": "List[float]", "Lb": "List[bool]", "Ls": "List[str]", "LT": "List[Tensor]",
    "LLi": "List[List[int]]", "LLf": "List[List[float]]", "LTup": "List[Tuple[int, Tensor]]",
    "Dsi": "Dict[str, int]", "Dii": "Dict[int, int]", "Dsf": "Dict[str, float]", "DsT": "Dict[str, Tensor]",
    "DiT": "Dict[int, Tensor]", "DsLi": "Dict[str, List[int]]", "DfT": "Dict[float, Tensor]", "Dis": "Dict[int, str]",
    "Tif": "Tuple[int, float]", "TiT": "Tuple[int, Tensor]", "Oi": "Optional[int]", "Of": "Optional[float]",
    "OT": "Optional[Tensor]", "Pair": "Pair", "Box": "Box", "Acc": "Acc", "LBox": "List[Box]",
}
LARGEST_NUMBER = 70
LARGEST_TENSOR = 400


class Rejected(Exception):
    """A choice that does not work out here."""


def is_modest(value):
    """Whether a value is small enough to compute with exactly."""
    if isinstance(value, torch.Tensor):
        if value.numel() > LARGEST_TENSOR or value.dim() > 4 or value.is_complex():
            return False
        if value.numel() == 0:
            return True
        return bool(torch.isfinite(value).all()) and float(value.abs().max() if value.dtype != torch.bool else 1) < 1e4
    if isinstance(value, (int, float)):
        return abs(value) <= LARGEST_NUMBER  # false for a NaN
    if isinstance(value, str):
        return len(value) <= 40
    return not isinstance(value, (list, dict)) or len(value) <= 24


class Scope:
    """`env` is the sample's; `shadow` other values and sizes, or None once a statement raised there."""

    def __init__(self, names, variables, env, shadow=None):
        self.names = names  # shared by a program's scopes: the counter of new names
        self.variables = dict(variables)  # name: type
        self.env = env
        self.shadow = shadow
        self.lines = []

    def new_name(self, kind):
        self.names[0] += 1
        return f"{kind.lower()}{self.names[0]}"

    def of_type(self, kind):
        return [name for name, its in self.variables.items() if its == kind]

    def value(self, text):
        """What an expression without side effects gives; Rejected if it raises or grows too large."""
        try:
            with limited(0.3):
                result = eval(text, self.env)
        except Exception as error:
            raise Rejected(f"{text}: {error}") from None
        if not is_modest(result):
            raise Rejected(f"{text}: too large")
        return result

    def varies(self, text):
        """Whether an expression is known to be another one at other values and sizes."""
        if self.shadow is None:
            return False
        try:
            with limited(0.3):
                return eval(text, self.env) != eval(text, self.shadow)
        except Exception:
            return False

    def copied(self, env):
        """The variables are copied at once, so that what they share they go on sharing."""
        mine = {name: env[name] for name in [*self.variables, "self"] if name in env}
        return {**env, **copy.deepcopy(mine)}

    def after(self, text):
        """The sample and its shadow after a statement."""
        env, shadow = self.copied(self.env), None
        execute(text, env)
        if self.shadow is not None:
            try:
                shadow = self.copied(self.shadow)
                execute(text, shadow)
            except Rejected:
                shadow = None
        return env, shadow

    def inner(self, header=""):
        """A scope for a block; a loop's header binds its names to its first elements."""
        return Scope(self.names, self.variables, *self.after(f"{header}\n    break" if header else ""))

    def add(self, text, new=()):
        """Appends a statement that runs; `new` are its (name, type) variables."""
        env, shadow = self.after(re.sub(r"\breturn\b", "returned =", text))
        known = self.variables | dict(new)
        for name in known:
            if name not in env or not is_modest(env[name]):
                raise Rejected(f"{name}: too large")
        self.env = env
        self.shadow = shadow if shadow is not None and all(name in shadow for name in known) else None
        self.variables = known
        self.lines += text.split("\n")


def memory_in_use():
    """Bytes of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def limited(seconds):
    """Python walks a list that grows under it for ever, TorchScript does not. Seconds of this
    process's own time: how busy the machine is does not change what a seed gives. So much memory
    as the machine may have to spare for one of them."""
    def stop(*_):
        raise Rejected("no end")
    spare = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_in_use() + MOST_MEMORY, spare[1]))
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, spare)


def execute(text, env, seconds=0.3):
    try:
        with limited(seconds):
            exec(text, env)
    except Exception as error:
        raise Rejected(f"{text}: {error}") from None
