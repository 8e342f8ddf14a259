# SPDX-License-Identifier: Apache-2.0
"""What programs are run on: integers and quarters, so that torch and the engine compute the same."""

import torch

DTYPES = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "bool": torch.bool}
PLACES = {"B": 0, "T": 1, "H": 1, "S": 2, "W": 2}  # the names of open axes: which of a set's sizes is theirs
# Sizes of the samples: what is fitted to them, or equal by chance, differs from one to the other.
SAMPLES = [(5, 4), (5, 7), (4, 6), (6, 4), (2, 4), (3, 5), (4, 4), (7, 3)]
# Sizes after the sample's. One and two first: most of what goes wrong does there.
SIZES = [(1, 1, 1), (2, 3, 4), (3, 2, 5), (1, 4, 2), (5, 1, 3), (4, 6, 6), (7, 5, 9), (8, 8, 7), (6, 3, 1), (2, 9, 12), (13, 11, 5), (3, 4, 16),
         (5, 4, 4), (10, 20, 18), (65, 33, 10)]
STATIC_RUNS = 9


def runs(program):
    """How many sets of values a program is run on."""
    return 1 + len(SIZES) if program.dynamic else STATIC_RUNS


def sizes(program, index):
    """The sizes of a set's open axes; 0 is the sample."""
    used = {size for _, _, shape in program.inputs for size in shape if isinstance(size, str)}
    chosen = SIZES[index - 1] if index else program.sample
    return {name: chosen[place] for name, place in PLACES.items() if name in used}


def quarters(index, shape, generator):
    """Signs, magnitudes and zeros change from set to set: data-dependent programs notice."""
    ranges = [(-12, 13), (1, 13), (-12, 0), (-4, 5), (0, 1), (-24, 25), (-8, 25), (-24, 9), (0, 1)]
    made = torch.randint(*ranges[index % len(ranges)], shape, generator=generator).to(torch.float32) / 4
    if index % len(ranges) == 8:
        made.view(-1)[-1:] = 3  # a sum that is often asked for
    return made


def integers(index, shape, generator):
    low, high = [(0, 4), (0, 3), (1, 4), (-2, 3), (0, 1), (0, 6), (-3, 1), (2, 4)][index % 8]
    return torch.randint(low, high, shape, generator=generator)


def arrays(program, index):
    """The index-th set of values; 0 is the sample that the export is given."""
    open_axes = sizes(program, index) if program.dynamic else {}
    generator = torch.Generator().manual_seed(1000 + index)
    made = []
    for _, dtype, shape in program.inputs:
        shape = [open_axes.get(size, size) for size in shape]
        if dtype.startswith("f"):
            made.append(quarters(index, shape, generator).to(DTYPES[dtype]))
        elif dtype == "bool":
            made.append(integers(index, shape, generator) > 0)
        else:
            made.append(integers(index, shape, generator).to(DTYPES[dtype]))
    return made
