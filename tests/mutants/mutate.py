# SPDX-License-Identifier: Apache-2.0
"""Plants small faults in a copy of the sources and sees which of them no test notices.

    mutate.py [--only WORD] [--first N] [--budget S] [--copy FOLDER]
                                            builds build/mutants/src, judges what is not judged yet, writes docs/mutants.md
    mutate.py list                          the faults that would be planted

Exit 1 where more than 5 % survive, or where what survivors.txt calls equivalent is killed. Verdicts are kept, as
README.md says.
"""

import argparse
import concurrent.futures
import fcntl
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import judge
import page
import plant

OUT = plant.ROOT / "build/mutants"
SURVIVORS = plant.ROOT / "tests/mutants/survivors.txt"
WORKERS = 2
BUDGETS = [20, 150]  # seconds of tests for each fault, before all are run for what is left
EXPLAINED = 20  # seconds for a fault of which survivors.txt says why it survives


def alone():
    """A run at a time: the next one builds what tests of this one run. The file stays open to the end."""
    OUT.mkdir(parents=True, exist_ok=True)
    file = open(OUT / "lock", "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("another run is at work in build/mutants") from None
    return file


def load(path):
    return json.loads(path.read_text()) if path.is_file() else {}


def save(path, data):
    """Whole or not at all: a run may be ended at any time."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(data, indent=1))
    new.replace(path)


class Reached:
    """Which test cases reach which faults: each test is run without a fault when it is asked for first."""

    def __init__(self, folder, libraries, count):
        self.tests = judge.tests_of(folder)
        self.folder, self.libraries, self.count = folder, libraries, count
        self.file = OUT / "reached.json"
        self.known = load(self.file)
        self.lock = threading.Lock()
        self.locks = {test.name: threading.Lock() for test in self.tests}

    def stamp(self, test):
        return f"{self.libraries} {test.stamp}"

    def is_traced(self, test):
        return self.known.get(test.name, {}).get("stamp") == self.stamp(test)

    def seconds(self, test):
        """Of an earlier run, if there was one."""
        cases = self.known.get(test.name, {}).get("cases")
        return 60.0 if cases is None else sum(case[0] for case in cases)

    def cases(self, test):
        """Its cases, with what they reach. Ends where the test fails without a fault."""
        with self.locks[test.name]:
            if not self.is_traced(test):
                cases = [[each.seconds, each.name, sorted(each.reached)] for each in judge.reach(self.folder, test, self.count)]
                with self.lock:
                    self.known[test.name] = {"stamp": self.stamp(test), "cases": cases}
                    save(self.file, self.known)
                print(f"traced {test.name}: {sum(case[0] for case in cases):.1f} s", flush=True)
        return [judge.Case(seconds, name, frozenset(numbers)) for seconds, name, numbers in self.known[test.name]["cases"]]


class Controls:
    """What takes part in a verdict must pass without a fault; its time is measured then."""

    def __init__(self, folder):
        self.folder, self.known, self.lock = folder, {}, threading.Lock()

    def seconds(self, each):
        """None if it fails."""
        with self.lock:
            own = self.known.setdefault(judge.label(each), [threading.Lock(), False, None])
        with own[0]:
            if not own[1]:
                start = time.monotonic()
                passes = judge.attempt(self.folder, each, 0, 600) == "passed"
                own[1:] = [True, time.monotonic() - start if passes else None]
        return own[2]


def in_parallel(work, waiting, note):
    """work(number) for each in a mixed order: what is done first says something of all."""
    random.Random(1).shuffle(waiting)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        futures = {pool.submit(work, number): number for number in waiting}
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            said = note(futures[future], future.result())
            print(f"{done}/{len(waiting)} {time.monotonic() - start:.0f} s: {futures[future]} {said}", flush=True)


def noted(mutants, stored):
    """A function that keeps a verdict, if there is one, and says it."""
    def note(number, verdict):
        mutant, name = mutants[number], name_of(mutants[number])
        if verdict is not None:
            stored["results"][name] = {**verdict, "key": mutant.key, "source": plant.digest_of(mutant.file)}
            if verdict["verdict"] == "killed":
                stored["killers"][name] = verdict
            save(OUT / "results.json", stored)
        said = verdict or {"verdict": "not seen again"}
        return f"{mutant.file}:{mutant.number}: {mutant.fault.rule}: {said['verdict']} {said.get('how', '')} {said.get('by', '')}"
    return note


def judge_again(folder, mutants, tests, stored):
    """Faults that were killed in earlier libraries, by what killed them."""
    by_name, controls = {test.name: test for test in tests}, Controls(folder)

    def work(number):
        killer = stored["killers"][name_of(mutants[number])]
        test = by_name[killer["by"]]
        each = judge.Run(0, test, tuple(killer["cases"]))
        seconds = controls.seconds(each)
        if seconds is None:
            return None
        how = judge.attempt(folder, each, number, seconds)
        return None if how == "passed" else judge.killed(test, each, how)

    waiting = [number for number, mutant in mutants.items() if name_of(mutant) not in stored["results"]
               and stored["killers"].get(name_of(mutant), {}).get("by") in by_name]
    in_parallel(work, waiting, noted(mutants, stored))


def judge_all(folder, mutants, reached, stored, budget):
    """A verdict for each fault that was not killed, and is not known to survive these tests."""
    results, explained = stored["results"], page.explanations(SURVIVORS)

    def known(number):
        return results.get(name_of(mutants[number]), {})

    def work(number):
        mutant = mutants[number]
        limit = min(budget, EXPLAINED) if mutant.key in explained else budget
        verdict = judge.judged(number, mutant.file, folder, reached, list(known(number).get("passed", [])), limit)
        if mutant.key in explained and verdict["verdict"] == "open" and budget >= EXPLAINED:
            verdict["verdict"] = "survived"
        return verdict

    def is_settled(number):
        return known(number).get("verdict") == "killed" or (known(number).get("kept") and mutants[number].key in explained)

    waiting = [number for number in mutants if not is_settled(number)]
    in_parallel(work, waiting, noted(mutants, stored))


def stored_for(libraries, mutants):
    """Verdicts on faults in these libraries, and what killed faults in earlier ones.

    Of earlier verdicts those stay that say that a fault survives, as survivors.txt explains, while its file is the
    same: that other code changed cannot make them wrong in our favour.
    """
    stored, explained = load(OUT / "results.json"), page.explanations(SURVIVORS)
    results = stored.get("results", {})
    killers = {**stored.get("killers", {}), **{name: each for name, each in results.items() if "cases" in each}}
    if stored.get("libraries") != libraries:
        old, results = results, {}
        for mutant in mutants.values():
            each = old.get(name_of(mutant), {})
            if mutant.key in explained and each.get("source") == plant.digest_of(mutant.file) and each["verdict"] != "killed":
                results[name_of(mutant)] = {**each, "kept": True}
    return {"libraries": libraries, "results": results, "killers": killers}


def name_of(mutant):
    return f"{mutant.rank:.15f}"


def chosen_ones(options, mutants):
    some = {number: mutant for number, mutant in mutants.items() if options.only in mutant.key}
    numbers = list(some)
    random.Random(2).shuffle(numbers)
    return {number: some[number] for number in numbers[:options.first]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=["run", "list"], default="run")
    parser.add_argument("--only", default="", help="faults whose file, rule and line hold this")
    parser.add_argument("--first", type=int, default=10**6, help="as many faults")
    parser.add_argument("--budget", type=float, default=10.0**6, help="seconds of tests for a fault, then it stays open")
    parser.add_argument("--copy", type=Path, default=OUT / "src", help="where the copy stands; a compiler cache knows files by path")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(1))
    signal.signal(signal.SIGHUP, lambda *_: None)  # not ignored, as under nohup: tests send it to children
    mutants = plant.chosen()
    if options.command == "list":
        for number, mutant in mutants.items():
            print(f"{number} {mutant.file}:{mutant.number}: {mutant.fault.rule}: {mutant.line}")
        return 0
    lock = alone()
    os.nice(5)
    folder = options.copy
    count = max(mutants)
    mutants = plant.build(folder, mutants, WORKERS)
    judge.make_bad_files(folder)
    build = folder / "build"
    libraries = judge.digest(build / "libt2nnef.so", build / "libt2nnef_torch.so", build / "t2nnef")
    stored = stored_for(libraries, mutants)
    results, chosen = stored["results"], chosen_ones(options, mutants)
    reached = Reached(folder, libraries, count)
    judge_again(folder, chosen, reached.tests, stored)
    for budget in [each for each in BUDGETS if each < options.budget] + [options.budget]:
        judge_all(folder, chosen, reached, stored, budget)
    judged = {mutant: results[name_of(mutant)] for mutant in mutants.values() if name_of(mutant) in results}
    whole = len(judged) == len(mutants) and all(each["verdict"] != "open" for each in judged.values())
    share, refuted = page.write(judged, plant, page.explanations(SURVIVORS), whole)
    lock.close()
    return share > page.ALLOWED or bool(refuted)


if __name__ == "__main__":
    sys.exit(main())
