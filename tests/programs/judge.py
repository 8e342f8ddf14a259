# SPDX-License-Identifier: Apache-2.0
"""The verdict on a program: what the export says, and what the written file computes.

right    written, and equal to torch at all values and sizes that torch and the file allow
refused  exit 2, 3 or 4 with an error message
WRONG    written, and different from torch
NORUN    written, and the engine refuses it at load, or at values that torch and the file allow
CRASH    exit 1, another code, a signal, an internal error, or an assertion that cannot be read
TIMEOUT  no end
INVALID  no program: Python or torch's compiler does not take it
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np

import assertions
import values
from child import ChildError

SECONDS = 120  # for one export
RTOL = ATOL = 1e-4
WAYS = 4  # of rounding, the first of which takes the least time
NOISE = 10  # times what torch's own numbers move by when all operations round otherwise
LARGEST = 1e7  # beyond it f32 holds no quarters: neither side is right
KINDS = ("right", "refused", "WRONG", "NORUN", "CRASH", "TIMEOUT", "INVALID")
FAILURES = KINDS[2:]
REFUSED = (2, 3, 4)
EXCUSED = (
    "error[model-state]",  # forward changes the model itself: that is refused unless asked for
    # What torch leaves open:
    "error[unsupported-inplace]: an operation writes to a tensor that overlaps its operand",
    "error[unsupported-inplace]: an operation writes to a tensor whose elements overlap in memory",
    "error[unsupported-inplace]: out= is a view, which the operation would resize",
)


class Verdict(NamedTuple):
    kind: str
    why: str = ""
    code: int = 0
    runs: int = 0  # how many sets of values were compared


def is_needless(program, verdict):
    """A refusal that nothing excuses: all numbers of the program are known."""
    is_plain = not program.dynamic and not program.reads_data
    return verdict.kind == "refused" and is_plain and not verdict.why.startswith(EXCUSED)


def arguments(program, saved, arrays):
    """Of export, without an output; `arrays` become an .npz file beside the model."""
    npz = saved.with_suffix(".npz")
    np.savez(npz, **{name: array.numpy() for (name, _, _), array in zip(program.inputs, arrays)})
    axes = [text for axis in program.axes for text in ("--dynamic", axis)]
    return [saved, "-t", "tract", "-i", f"@{npz}", *axes, *(["--roll-loops"] if program.rolls else [])]


def export(exporter, program, saved, written, arrays):
    """Exit code (None: no end) and what was said."""
    try:
        done = exporter.run(["export", *arguments(program, saved, arrays), "-o", written], SECONDS)
    except subprocess.TimeoutExpired:
        return None, "no end"
    return done.returncode, done.stdout + done.stderr


def first_error(said):
    """The message; one that counts refused operators, with the first of them and why."""
    lines = said.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(("error", "internal error"))]
    if not starts:
        return lines[-1].strip() if lines else "no words"
    first, *details = lines[starts[0]:starts[0] + 3]
    counted = [re.sub(r" +first: .*", "", each.strip()) for each in details if re.match(r" +(\d+x|why:) ", each)]
    return " ".join([first.strip(), *counted]) if re.match(r"error\S+ \d+ ", first) else first.strip()


def verdict_of_export(code, said):
    """None for a written file."""
    if code is None:
        return Verdict("TIMEOUT", "export: no end")
    if code == 0:
        return None
    why = first_error(said)
    is_crash = code not in REFUSED or "internal error" in said or not why.startswith("error")
    return Verdict("CRASH", f"exit {code}: {why}", code) if is_crash else Verdict("refused", why, code)


def in_torch(reference, saved, arrays):
    """What torch computes; None where it refuses, or finds no end."""
    try:
        return reference.ask("run", str(saved), [array.numpy() for array in arrays])
    except ChildError:
        return None


def is_undefined(reference, saved, arrays):
    """Whether torch itself leaves open what comes out."""
    try:
        return reference.ask("undefined", str(saved), [array.numpy() for array in arrays])
    except ChildError:
        return False


def other_form(index, expected, actual):
    """How shape or kind of an output differ, or None."""
    where = f"output {index}: "
    if list(expected.shape) != list(actual.shape):
        return f"{where}shape {list(actual.shape)} instead of {list(expected.shape)}"
    if (expected.dtype.kind in "iub") != (np.asarray(actual).dtype.kind in "iub"):
        return f"{where}{actual.dtype} instead of {expected.dtype}"
    return None


def other_values(index, expected, actual, rtol, noise):
    """How the values of an output of that form differ, or None. With `rtol`, sums may be rounded in other ways."""
    where = f"output {index}: "
    a, b = expected.astype(np.float64), np.asarray(actual).astype(np.float64)
    usable = np.isfinite(a) & (np.abs(a) < LARGEST)
    a, b = a[usable], b[usable]
    with np.errstate(invalid="ignore"):
        largest = np.abs(a).max(initial=0.0)
        allowed = ATOL / 10 + rtol * largest + NOISE * noise if rtol else ATOL + RTOL * np.abs(a)
        good = np.abs(a - b) <= allowed  # false for a NaN
    if good.all():
        return None
    if expected.dtype.kind in "iub":
        return f"{where}{(~good).sum()} of {a.size} integers differ"
    return f"{where}differs by {np.abs(a - b).max():.3g} where the largest value is {np.abs(a).max():.3g}"


def first(compare, expected, actual):
    """What `compare` says of the first pair of outputs that it says anything of."""
    differences = (compare(i, a, b) for i, (a, b) in enumerate(zip(expected, actual)))
    return next((each for each in differences if each), None)


def form_differs(expected, actual):
    if len(expected) != len(actual):
        return f"{len(actual)} outputs instead of {len(expected)}"
    return first(other_form, expected, actual)


def values_differ(program, saved, reference, arrays, expected, actual):
    """What of the outputs differs, and is not explained by what torch itself rounds."""
    noises = [0.0] * len(expected)
    for way in range(WAYS + 1):
        difference = first(lambda i, a, b: other_values(i, a, b, program.rtol, noises[i]), expected, actual)
        if not difference or not program.rtol or way == WAYS:
            return difference
        try:
            found = reference.ask("noise", str(saved), [array.numpy() for array in arrays], way)
        except ChildError as error:
            return f"{difference}; its noise: {error}"
        noises = [max(pair) for pair in zip(noises, found)]


def verdict_of_file(program, saved, written, engine, reference):
    try:
        text = assertions.graph_text(written)
        asserted, demands = assertions.assertions(text), "t2nnef_demands" in text
        allowed = [i for i in range(values.runs(program)) if assertions.hold(asserted, values.sizes(program, i))]
    except (ValueError, KeyError, SyntaxError, ZeroDivisionError) as error:
        return Verdict("CRASH", f"assertion: {type(error).__name__}: {error}")
    try:
        engine.ask("load", str(written))
    except ChildError as error:
        return Verdict("NORUN", f"load: {error}".replace(str(written), "FILE"))
    compared = undefined = 0
    for index in allowed:
        arrays = values.arrays(program, index)
        expected = in_torch(reference, saved, arrays)
        if expected is None:
            continue
        where = f"input {index} {values.sizes(program, index) or ''}: "
        try:
            actual = engine.ask("run", [array.numpy() for array in arrays])
        except ChildError as error:
            if demands and re.search("Invalid (slicing )?range", str(error)):
                continue  # a size that follows from values is none that the file takes
            return Verdict("NORUN", where + str(error))
        if found := form_differs(expected, actual):
            return Verdict("WRONG", where + found)
        if found := values_differ(program, saved, reference, arrays, expected, actual):
            if not is_undefined(reference, saved, arrays):
                return Verdict("WRONG", where + found)
            undefined += 1
        else:
            compared += 1
    return Verdict("right", f"torch leaves {undefined} of its inputs open" if undefined else "", runs=compared)


def judge(exporter, program, saved, engine, reference):
    """The verdict on a program saved as TorchScript; its other files stay beside it."""
    written = Path(saved).with_suffix(".nnef.tar")
    verdict = verdict_of_export(*export(exporter, program, Path(saved), written, values.arrays(program, 0)))
    return verdict or verdict_of_file(program, saved, written, engine, reference)


def group(why):
    """A message without what differs between programs, to count its kind."""
    why = re.sub(r"'[^']*'", "'…'", why)
    return re.sub(r"-?\d+(\.\d+)?", "N", why)
