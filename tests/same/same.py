# SPDX-License-Identifier: Apache-2.0
"""Compares what two builds write, byte for byte: same.py BASE OTHER [--zoo FOLDER] [--only PART] [--files].

BASE and OTHER are source trees with a release build in build/. Compared are fixtures, kept programs
and, if it is built, the zoo, each static, strict and with open axes, and all that the operator tests
export. What is refused must be refused with the same words, without --files.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/zoo"), str(ROOT / "tests/programs")]
import dynamic  # noqa: E402
import judge  # noqa: E402
import program as programs  # noqa: E402
import values  # noqa: E402
from child import ChildError  # noqa: E402
from compiler import compiler  # noqa: E402

LARGEST_OPEN = 30_000_000  # bytes of a file that is exported with open axes
SHOWN = 20


def digest(program, arguments):
    """Of the artefact, or what is said where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "model.nnef.tar"
        command = [str(word) for word in (program, "export", *arguments, "-o", written)]
        child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if child.returncode == 0:
            return hashlib.sha256(written.read_bytes()).hexdigest()
        said = child.stderr.replace(folder, "FOLDER")
        return f"exit {child.returncode}: {said[max(said.find('error'), 0):]}"


def cases_of_model(model, npz):
    """Arguments of export by name, for a saved model and its sample inputs."""
    sample = ["-i", f"@{npz}"] if npz else []
    yield "static", [model, "-t", "tract", *sample]
    yield "strict", [model, "-t", "khronos", *sample]
    if npz is None or model.stat().st_size > LARGEST_OPEN:
        return
    inputs = {k: v for k, v in np.load(npz).items() if not k.startswith("output")}
    for way in ("length", "image", "batch"):
        if axes := dynamic.axes_of(way, inputs):
            yield way, [model, "-t", "tract", *sample, *(word for axis in axes for word in ("--dynamic", axis))]


def models(zoo):
    for model in sorted(ROOT.glob("fixtures/*/*.pt")):
        npz = model.with_name("test.npz")
        yield f"{model.parent.name}/{model.name}", model, npz if npz.exists() else None
    for model in sorted(zoo.glob("*.pt")):
        yield model.name, model, zoo / f"{model.name.split('.')[0]}.npz"


def kept(folder):
    """(name, arguments of export) of the kept programs that torch compiles."""
    saver = compiler()
    for path in sorted((ROOT / "tests/programs/kept").glob("*.py")):
        program = programs.from_text(path.read_text())
        saved = Path(folder) / f"{path.stem}.pt"
        try:
            saver.ask(program, str(saved))
        except ChildError:
            continue
        yield path.stem, judge.arguments(program, saved, values.arrays(program, 0))
    saver.close()


def shown(text, at):
    """Some of it around a place, on one line."""
    return " ".join(text[max(at - 60, 0):at + 60].split())


def compare(job, words):
    name, base, other, arguments = job
    a, b = digest(base, arguments), digest(other, arguments)
    if not words and a.startswith("exit") and b.startswith("exit"):
        a, b = (each.split(":")[0] for each in (a, b))
    first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), 0)
    return None if a == b else f"{name}: {shown(a, first)}  |  {shown(b, first)}"


def report(part, jobs, words):
    """Prints what differs; gives how much."""
    different = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for n, line in enumerate(pool.map(functools.partial(compare, words=words), jobs), 1):
            if line:
                different.append(line)
            if sys.stderr.isatty():
                print(f"\r{part}: {n} of {len(jobs)}, {len(different)} differ", end="", flush=True, file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return said(part, len(jobs), different)


def said(part, count, different):
    print(f"{part}: {count - len(different)} of {count} the same")
    for line in different[:SHOWN]:
        print(f"  {line}")
    if len(different) > SHOWN:
        print(f"  and {len(different) - SHOWN} more")
    return len(different)


def lines_of_tests(tree):
    """What the operator tests of a tree export: digests by test and place."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digests"
        environment = os.environ | {"T2NNEF_DIGESTS": str(path)}
        command = ["ctest", "--preset", "release", "-R", "^test_ops_"]
        child = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL)
        if child.returncode != 0:
            sys.exit(f"the operator tests of {tree} fail: what they export says nothing")
        if not path.exists():
            sys.exit(f"the operator tests of {tree} make no digests: it is older than tests/support/digest.cpp")
        lines = [line.rsplit("\t", 1) for line in path.read_text().splitlines()]
        return dict(lines)


def compare_tests(base, other):
    a, b = lines_of_tests(base), lines_of_tests(other)
    different = [f"{key}: other bytes" for key in sorted(a.keys() & b.keys()) if a[key] != b[key]]
    alone = [f"{key}: of one build only" for key in sorted(a.keys() ^ b.keys())]
    return said("operator tests", len(a.keys() | b.keys()), different + alone)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--zoo", type=Path, default=ROOT / "build/zoo")
    parser.add_argument("--only", choices=["models", "programs", "tests"])
    parser.add_argument("--files", dest="words", action="store_false", help="refused with the same exit code is the same")
    options = parser.parse_args()
    programs_of = [tree / "build/t2nnef" for tree in (options.base, options.other)]
    differ = 0
    if options.only in (None, "models"):
        jobs = [(f"{name} {way}", *programs_of, words)
                for name, model, npz in models(options.zoo) for way, words in cases_of_model(model, npz)]
        differ += report("models", jobs, options.words)
    if options.only in (None, "programs"):
        with tempfile.TemporaryDirectory() as folder:
            jobs = [(name, *programs_of, arguments) for name, arguments in kept(folder)]
            differ += report("programs", jobs, options.words)
    if options.only in (None, "tests"):
        differ += compare_tests(options.base, options.other)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
