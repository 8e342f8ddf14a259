# SPDX-License-Identifier: Apache-2.0
"""Entries of the roads: models, and the inputs, pieces or calls at which their files are compared with them."""

from typing import Callable, NamedTuple

from torch import nn

TRACED = ("traced",)
SCRIPTED = ("scripted",)
BOTH = ("traced", "scripted")


class Road(NamedTuple):
    """One run of the file for each run."""

    module: nn.Module
    runs: list  # of inputs; the first are the sample
    options: list  # of the export
    ways: tuple
    varied: str  # what the other runs vary, for the page


class Streamed(NamedTuple):
    """A file that the engine runs in pulses, compared with one run of the module on all of the input."""

    module: nn.Module
    inputs: Callable  # of a length
    options: list  # axes of the stream, called S
    ways: tuple
    multiple: int  # what lengths and pulses are multiples of
    pulses: tuple  # how many multiples each


class Called(NamedTuple):
    """A file that is called again and again, with the states that it gave: outputs are results, then states."""

    module: nn.Module
    calls: list  # of lists of calls, each with its inputs without states; the first call is the sample
    sample: tuple  # states of the sample
    states: tuple  # states to begin with
    options: list
    ways: tuple
    varied: str
