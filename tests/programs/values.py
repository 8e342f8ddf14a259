"""What programs are run on: integers and quarters, so that torch and the engine compute the same."""

import torch

DTYPES = {"f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "bool": torch.bool}
SAMPLE = {"B": 5, "T": 4}
# The first is the sample. One and two first: most of what goes wrong does there.
SIZES = [(5, 4), (1, 1), (2, 3), (3, 2), (1, 4), (5, 1), (4, 6), (7, 5), (8, 8), (6, 3), (2, 9), (13, 11), (3, 4), (5, 7)]
STATIC_RUNS = 8


def runs(program):
    """How many sets of values a program is run on."""
    return len(SIZES) if program.dynamic else STATIC_RUNS


def sizes(program, index):
    """The sizes of a set's open axes."""
    used = {size for _, _, shape in program.inputs for size in shape if isinstance(size, str)}
    both = dict(zip(SAMPLE, SIZES[index] if program.dynamic else SIZES[0]))
    return {name: size for name, size in both.items() if name in used}


def quarters(index, shape, generator):
    """Signs, magnitudes and zeros change from set to set: data-dependent programs notice."""
    low, high = [(-12, 13), (1, 13), (-12, 0), (-4, 5), (0, 1), (-24, 25), (-8, 25), (-24, 9)][index % 8]
    return torch.randint(low, high, shape, generator=generator).to(torch.float32) / 4


def integers(index, shape, generator):
    low, high = [(0, 4), (0, 3), (1, 4), (-2, 3), (0, 1), (0, 6), (-3, 1), (2, 4)][index % 8]
    return torch.randint(low, high, shape, generator=generator)


def arrays(inputs, index, symbols=None):
    """The index-th set of values; 0 is the sample that the export is given."""
    symbols = SAMPLE if symbols is None else symbols
    generator = torch.Generator().manual_seed(1000 + index)
    made = []
    for _, dtype, shape in inputs:
        shape = [symbols[size] if isinstance(size, str) else size for size in shape]
        if dtype.startswith("f"):
            made.append(quarters(index, shape, generator).to(DTYPES[dtype]))
        elif dtype == "bool":
            made.append(integers(index, shape, generator) > 0)
        else:
            made.append(integers(index, shape, generator).to(DTYPES[dtype]))
    return made
