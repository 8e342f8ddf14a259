# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the copy: once without a fault, to see which test reaches which, then against each fault."""

import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# What reads sources, or files of other tests; then what looks for faults at random, minutes for every survivor.
LEFT_OUT = {"fence", "sizes", "pages", "ci_count", "strict_cases", "test_coverage", "programs", "hostile_kept", "test_random"}
SKIPPED = 77  # how a test that cannot run ends
LEAVES = ["T2NNEF_COVERAGE", "T2NNEF_STRICT_CASES"]  # where tests leave what other tests read
START = 0.5  # seconds that a test program takes at most before its first case
AT_ONCE = 10  # seconds of cases that run together: what fails late costs no more


class FailedAlone(Exception):
    """Of a test, without any fault."""


class Test(NamedTuple):
    name: str
    command: tuple
    environment: dict
    stamp: str  # of a test program: another one has other cases

    @property
    def has_cases(self):
        return self.name.startswith("test_")


class Case(NamedTuple):
    """A test case, or a test that has none."""
    seconds: float
    name: str
    reached: frozenset


class Run(NamedTuple):
    """Something to run against a fault."""
    seconds: float
    test: Test
    cases: tuple  # () is all of the test


def is_of_a_part(test):
    """Whether a test runs parts of the program, and not the whole: such tests reach less, and are run first."""
    return test.has_cases and test.name not in ("test_cli", "test_cli_passes")


def digest(*files):
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def tests_of(folder):
    build = folder / "build/release"
    shown = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, check=True).stdout)
    out = []
    for test in shown["tests"]:
        if test["name"] in LEFT_OUT or test["name"].startswith("sanitized_"):
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        given = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        program = Path(test["command"][0])
        stamp = digest(program) if test["name"].startswith("test_") else ""
        out.append(Test(test["name"], tuple(test["command"]), given, stamp))
    return out


def environment(folder, extra):
    """Of the copy, as the presets and make test have it."""
    text = (folder / "build/env.sh").read_text()
    return {**os.environ, **dict(re.findall(r"^(\w+)='(.*)'$", text, re.MULTILINE)), "T2NNEF_REQUIRE_ENGINE": "1", **extra}


def run(command, folder, extra, limit):
    """How it ended: "passed", "skipped", "failed", "crashed" or "no end"; and its last lines."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=folder / "build/release/tests", env=environment(folder, extra), stdout=output,
                                 stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(child.pid, signal.SIGKILL)  # also what it left behind
        except ProcessLookupError:
            pass
        child.wait()
        output.seek(0)
        tail = output.read()[-2000:].decode(errors="replace")
    if code is None or code < 0:
        return "no end" if code is None else "crashed", tail
    return {0: "passed", SKIPPED: "skipped"}.get(code, "failed"), tail


def make_bad_files(folder):
    """As make test does."""
    done, scripts = folder / "build/bad/complete", list((folder / "tests/cli").glob("*.py"))
    if not done.exists() or any(script.stat().st_mtime > done.stat().st_mtime for script in scripts):
        given = environment(folder, {})
        subprocess.run([given["T2NNEF_PYTHON"], "tests/cli/make_bad_files.py", "build/bad"], cwd=folder, env=given, check=True)
        done.touch()


def reach(folder, test, count):
    """The cases of a test with what they reach; an error if it fails without any fault."""
    with tempfile.TemporaryDirectory() as place:
        trace, cases = Path(place) / "trace", Path(place) / "cases"
        trace.write_bytes(bytes(count + 1))
        start = time.monotonic()
        how, tail = run(test.command, folder, {**test.environment, "T2N_MUTANT_TRACE": str(trace), "T2N_MUTANT_CASES": str(cases)}, 3000)
        seconds = time.monotonic() - start
        if how == "skipped":
            return []
        if how != "passed":
            raise FailedAlone(f"{test.name} {how} without a fault:\n{tail}")
        if not test.has_cases:
            return [Case(seconds, test.name, frozenset(number for number, byte in enumerate(trace.read_bytes()) if byte))]
        rows = [line.split("\t", 2) for line in cases.read_text().splitlines()] if cases.exists() else []
        return [Case(float(took), name, frozenset(map(int, numbers.split()))) for took, numbers, name in rows]


def is_near(test, file):
    """Whether a test by its name is one of the file's folder, or of its family of operators."""
    folder, stem = Path(file).parent.name, Path(file).stem
    words = set(stem.split("_")) if Path(file).parts[0] == "ops" else {folder}
    return bool(words & set(test.name.split("_"))) or test.name == f"test_{folder}"


def parts_of(cases):
    """The cases, fast ones first, in parts that take a few seconds each."""
    parts, seconds = [], 0.0
    for case in sorted(cases, key=lambda case: case.seconds):
        if not parts or seconds + case.seconds > AT_ONCE:
            parts.append([])
            seconds = 0.0
        parts[-1].append(case)
        seconds += case.seconds
    return parts


def runs_of(number, test, cases):
    """What of a test to run against a fault, fast cases first.

    A fault in what a process does once, such as a table of all operators, is seen in the first case that asks
    for it and may matter in any: where it was one case alone, the whole test comes after.
    """
    some = [case for case in cases if number in case.reached]
    if not some:
        return []
    if not test.has_cases:
        return [Run(some[0].seconds, test, ())]
    runs = [Run(START + sum(case.seconds for case in part), test, tuple(case.name for case in part)) for part in parts_of(some)]
    if len(some) == 1 and len(cases) > 1:
        runs.append(Run(START + sum(case.seconds for case in cases), test, ()))
    return runs


def command_of(each):
    if not each.test.has_cases:
        return each.test.command
    names = [re.sub(r"([\\,])", r"\\\1", name) for name in each.cases]
    chosen = (f"--test-case={','.join(names)}",) if names else ()
    return (*each.test.command, "--abort-after=1", *chosen)


def label(each):
    """What stands for a run in the results: a test that changed has not passed yet."""
    names = hashlib.sha256("\n".join(each.cases).encode()).hexdigest()[:8] if each.cases else "all"
    return f"{each.test.name} {each.test.stamp} {names}"


def attempt(folder, each, number, seconds):
    """How a run ends with a fault, or with none (0). seconds: that it takes without one."""
    with tempfile.TemporaryDirectory() as own:
        given = {name: own for name in LEAVES if name in each.test.environment}
        how, _ = run(command_of(each), folder, {**each.test.environment, **given, "T2N_MUTANT": str(number)}, 4 * seconds + 20)
    return how


def killed(test, each, how):
    return {"verdict": "killed", "by": test.name, "how": how, "cases": list(each.cases)}


def judged(number, file, folder, reached, passed, budget):
    """The verdict on a fault, the test that saw it, and how; "open" where that takes more seconds than the budget.

    Tests near the file come first, then those of parts, then fast ones. passed: labels of what passed before; more
    are added.
    """
    def rank(test):
        return not is_near(test, file), not is_of_a_part(test), reached.seconds(test)

    spent, is_reached = 0.0, False
    for test in sorted(reached.tests, key=rank):
        if not reached.is_traced(test):
            spent += reached.seconds(test)
            if spent > budget:
                return {"verdict": "open", "passed": passed}
        for each in runs_of(number, test, reached.cases(test)):
            is_reached = True
            spent += each.seconds
            if label(each) in passed:
                continue
            if spent > budget:
                return {"verdict": "open", "passed": passed}
            how = attempt(folder, each, number, each.seconds)
            if how != "passed":
                return killed(test, each, how)
            passed.append(label(each))
    return {"verdict": "survived" if is_reached else "not reached", "passed": passed}
