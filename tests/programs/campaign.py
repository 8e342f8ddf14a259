# SPDX-License-Identifier: Apache-2.0
"""Judges many programs with two workers, and says what came of them."""

import collections
import concurrent.futures
import functools
import json
import multiprocessing
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import torch

import generate
import judge
import layers
import program as programs
import values
from child import ChildError, limit_memory
from compiler import compiler
from engine import engine
from reference import reference

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fork_server"))
from fork_server import ForkServer  # noqa: E402

GENERATORS = {"statements": generate.programs, "layers": layers.programs}
DYNAMIC_OF = 3  # every third seed of statements is a program with open axes, and two of three of layers
CHUNK = 40  # programs that a worker is given at a time
RENEWED = 400  # programs between two starts of torch, which takes seconds and keeps what it compiled
EXAMPLES = 3  # seeds named per kind of message


class Result(NamedTuple):
    name: str
    program: programs.Program
    verdict: judge.Verdict
    needless: bool

    @property
    def kind(self):
        return "needless" if self.needless else self.verdict.kind


class Judge:
    """What a worker keeps: a folder, and processes: the compiler, the program, an engine and torch."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.compiler = compiler()
        self.exporter = ForkServer(
            program, os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}, limit_memory)
        self.engine = engine()
        self.reference = reference()
        self.count = 0
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.compiler.close()
        self.exporter.close()
        self.engine.close()
        self.reference.close()
        self.folder.cleanup()

    def path(self, name):
        return Path(self.folder.name) / f"{name}.pt"

    def of_saved(self, name, program):
        """A process that was kept waiting by others looks like one without an end: once more, then."""
        self.count += 1
        if self.count % RENEWED == 0:
            self.compiler.close()
            self.reference.close()
        for _ in range(2):
            verdict = judge.judge(self.exporter, program, self.path(name), self.engine, self.reference)
            if "no end" not in verdict.why and "no answer" not in verdict.why:
                break
            self.path(name).with_suffix(".nnef.tar").unlink(missing_ok=True)
        for file in Path(self.folder.name).glob(f"{name}.*"):
            file.unlink()
        return Result(name, program, verdict, judge.is_needless(program, verdict))

    def of(self, name, program):
        try:
            self.compiler.ask(program, str(self.path(name)))
        except ChildError as error:
            return Result(name, program, judge.Verdict("INVALID", str(error)), False)
        return self.of_saved(name, program)


@functools.cache
def judge_of_worker(binary):
    """Kept until the worker ends: what it starts takes as long as a dozen programs."""
    return Judge(binary)


def is_dynamic(generator, seed, axes):
    if axes != "mixed":
        return axes == "open"
    return (seed % DYNAMIC_OF == DYNAMIC_OF - 1) == (generator == "statements")


def save_seed(judging, generator, seed, dynamic):
    """The seed's program, saved: the first attempt that torch compiles and runs on the sample."""
    path = judging.path(f"{generator}{seed}")
    for program in GENERATORS[generator](seed, dynamic):
        try:
            judging.compiler.ask(program, str(path))
        except ChildError:
            continue
        if judge.in_torch(judging.reference, path, values.arrays(program, 0)) is not None:
            return program
    return None


def judge_seeds(job):
    """`seeds`: of (generator, seed, whether the program has open axes)."""
    binary, seeds = job
    judging, results = judge_of_worker(binary), []
    for generator, seed, dynamic in seeds:
        program = save_seed(judging, generator, seed, dynamic)
        none = Result(f"{generator}{seed}", programs.Program([], ""), judge.Verdict("INVALID", "no attempt came about"), False)
        results.append(judging.of_saved(f"{generator}{seed}", program) if program else none)
    return results


def judge_files(job):
    binary, files = job
    judging = judge_of_worker(binary)
    return [judging.of(Path(file).stem, programs.from_text(Path(file).read_text())) for file in files]


def judged(work, binary, items, workers=2):
    """The results of all items, in order, as they come."""
    jobs = [(str(binary), items[i:i + CHUNK]) for i in range(0, len(items), CHUNK)]
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, spawn) as pool:
        for results in pool.map(work, jobs):
            yield from results


def write_finding(folder, result):
    verdict = result.verdict
    note = f"{result.kind}: {verdict.why}".replace("\n", " ")
    family = "d" if result.program.dynamic else "s"
    path = Path(folder) / f"{result.kind}_{family}_{result.name}.py"
    path.write_text(programs.to_text(programs.with_notes(result.program, note)))


def table(results):
    """Verdicts by family: static without data, static, dynamic."""
    families = {"static, no data": [], "static": [], "dynamic": []}
    for result in results:
        program = result.program
        families["dynamic" if program.dynamic else "static" if program.reads_data else "static, no data"].append(result)
    heads = [*judge.KINDS, "needless"]
    lines = [f"{'':16}{'programs':>9}" + "".join(f"{head:>9}" for head in heads)]
    for family, some in families.items():
        counts = collections.Counter(each.verdict.kind for each in some)
        counts["needless"] = sum(each.needless for each in some)
        lines.append(f"{family:16}{len(some):9}" + "".join(f"{counts[head]:9}" for head in heads))
    return "\n".join(lines)


def reasons(results):
    """The messages of what is not right, counted by kind."""
    groups = collections.defaultdict(list)
    for result in results:
        if result.verdict.kind != "right":
            groups[result.kind, result.verdict.code, judge.group(result.verdict.why)].append(result.name)
    lines = []
    for (kind, code, why), names in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
        lines.append(f"{len(names):5} {kind} {code or ''} {why[:200]}  ({', '.join(names[:EXAMPLES])})")
    return "\n".join(lines)


def summary(results):
    return f"{reasons(results)}\n\n{table(results)}"


def failures(results):
    return [each for each in results if each.needless or each.verdict.kind in judge.FAILURES]


def as_json(result):
    row = {"name": result.name, "kind": result.kind, "dynamic": result.program.dynamic, "data": result.program.reads_data}
    return json.dumps(row | {"code": result.verdict.code, "runs": result.verdict.runs, "why": result.verdict.why})
