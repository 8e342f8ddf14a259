"""Plants small faults in a copy of the sources and sees which of them no test notices.

    mutate.py [--only WORD] [--first N] [--budget S] [--copy FOLDER]
                                            builds build/mutants/src, judges what is not judged yet, writes docs/mutants.md
    mutate.py list                          the faults that would be planted

Exit 1 where more than 5 % survive, or where what survivors.txt calls equivalent is killed. What was judged is kept as
long as the copy's libraries stay the same; what survived is judged again when a test changed. Of other libraries a
fault is judged anew, by the test first that killed it the last time. See README.md.
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


def reached_by(folder, libraries, count, is_asked):
    """Tests with their cases and what those reach. A test that did not change is not traced again.

    Ends, once all were run, where one fails without a fault.
    """
    tests, file = [test for test in judge.tests_of(folder) if is_asked(test)], OUT / "reached.json"
    known = load(file)
    lock, failures = threading.Lock(), []

    def trace(test):
        stamp = f"{libraries} {test.stamp}"
        if known.get(test.name, {}).get("stamp") != stamp:
            try:
                cases = [[each.seconds, each.name, sorted(each.reached)] for each in judge.reach(folder, test, count)]
            except judge.FailedAlone as failure:
                print(failure, flush=True)
                return failures.append(test.name)
            with lock:
                known[test.name] = {"stamp": stamp, "cases": cases}
                save(file, known)
                print(f"traced {test.name}: {sum(case[0] for case in cases):.1f} s", flush=True)

    last = {"test_coverage"}  # reads what the others left
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(trace, [test for test in tests if test.name not in last]))
    for test in tests:
        if test.name in last:
            trace(test)
    if failures:
        raise SystemExit(f"without a fault failed {', '.join(failures)}")
    return [(test, [judge.Case(seconds, name, frozenset(numbers)) for seconds, name, numbers in known[test.name]["cases"]])
            for test in tests]


def judge_all(folder, mutants, reached, stored, budget, is_whole):
    """A verdict for each fault that has none, in a mixed order: what is done first says something of all.

    is_whole: reached holds all tests; else what they do not kill is open.
    """
    results, killers = stored["results"], stored["killers"]

    def known(number):
        return results.get(name_of(mutants[number]), {})

    explained = page.explanations(SURVIVORS)

    def work(number):
        mutant, is_explained = mutants[number], mutants[number].key in explained
        seconds = min(budget, EXPLAINED) if is_explained else budget
        killer = killers.get(name_of(mutant), "")
        verdict = judge.judged(number, mutant.file, folder, reached, list(known(number).get("passed", [])), seconds, killer)
        if not is_whole and verdict["verdict"] != "killed":
            verdict["verdict"] = "open"
        if is_explained and is_whole and verdict["verdict"] == "open" and budget >= EXPLAINED:
            verdict["verdict"] = "survived"
        return number, verdict

    waiting = [number for number in mutants if known(number).get("verdict") != "killed"]
    random.Random(1).shuffle(waiting)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for done, future in enumerate(concurrent.futures.as_completed([pool.submit(work, number) for number in waiting]), 1):
            number, verdict = future.result()
            mutant = mutants[number]
            results[name_of(mutant)] = {**verdict, "key": mutant.key}
            if "by" in verdict:
                killers[name_of(mutant)] = verdict["by"]
            save(OUT / "results.json", stored)
            print(f"{done}/{len(waiting)} {time.monotonic() - start:.0f} s: {number} {mutant.file}:{mutant.number}: "
                  f"{mutant.fault.rule}: {verdict['verdict']} {verdict.get('how', '')} {verdict.get('by', '')}", flush=True)


def stored_for(libraries):
    """What is known of faults in these libraries, and which tests killed them in earlier ones."""
    stored = load(OUT / "results.json")
    results = stored.get("results", {})
    killers = {**stored.get("killers", {}), **{name: each["by"] for name, each in results.items() if "by" in each}}
    return {"libraries": libraries, "results": results if stored.get("libraries") == libraries else {}, "killers": killers}


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
    stored = stored_for(libraries)
    results = stored["results"]
    reached = reached_by(folder, libraries, count, judge.is_of_a_part)
    judge_all(folder, chosen_ones(options, mutants), reached, stored, min(BUDGETS[0], options.budget), False)
    reached = reached_by(folder, libraries, count, lambda test: True)
    for budget in [each for each in BUDGETS if each < options.budget] + [options.budget]:
        judge_all(folder, chosen_ones(options, mutants), reached, stored, budget, True)
    judged = {mutant: results[name_of(mutant)] for mutant in mutants.values() if name_of(mutant) in results}
    whole = len(judged) == len(mutants) and all(each["verdict"] != "open" for each in judged.values())
    share, refuted = page.write(judged, plant, page.explanations(SURVIVORS), whole)
    lock.close()
    return share > page.ALLOWED or bool(refuted)


if __name__ == "__main__":
    sys.exit(main())
