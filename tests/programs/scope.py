"""The state of a program that is being written: its lines so far, and what they compute on the sample.

TorchScript is a part of Python, so that each statement is run as soon as it is chosen: what raises
is dropped, and later choices know shapes, lengths and numbers.
"""

import contextlib
import copy
import re
import signal

import torch

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
    def __init__(self, names, variables, env):
        self.names = names  # shared by a program's scopes: the counter of new names
        self.variables = dict(variables)  # name: type
        self.env = env
        self.lines = []

    def new_name(self, kind):
        self.names[0] += 1
        return f"{kind.lower()}{self.names[0]}"

    def of_type(self, kind):
        return [name for name, its in self.variables.items() if its == kind]

    def value(self, text):
        """What an expression without side effects gives; Rejected if it raises or grows too large."""
        try:
            result = eval(text, self.env)
        except Exception as error:
            raise Rejected(f"{text}: {error}") from None
        if not is_modest(result):
            raise Rejected(f"{text}: too large")
        return result

    def copied_env(self):
        """The variables are copied at once, so that what they share they go on sharing."""
        mine = {name: self.env[name] for name in [*self.variables, "self"] if name in self.env}
        return {**self.env, **copy.deepcopy(mine)}

    def inner(self, header=""):
        """A scope for a block; a loop's header binds its names to its first elements."""
        env = self.copied_env()
        if header:
            execute(f"{header}\n    break", env)
        return Scope(self.names, self.variables, env)

    def add(self, text, new=()):
        """Appends a statement that runs; `new` are its (name, type) variables."""
        env = self.copied_env()
        execute(re.sub(r"\breturn\b", "returned =", text), env)
        known = self.variables | dict(new)
        for name in known:
            if name not in env or not is_modest(env[name]):
                raise Rejected(f"{name}: too large")
        self.env = env
        self.variables = known
        self.lines += text.split("\n")


@contextlib.contextmanager
def limited(seconds):
    """Python walks a list that grows under it for ever, TorchScript does not."""
    def stop(*_):
        raise Rejected("no end")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def execute(text, env):
    try:
        with limited(0.3):
            exec(text, env)
    except Exception as error:
        raise Rejected(f"{text}: {error}") from None
