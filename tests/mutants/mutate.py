"""Plants small faults in a copy of the sources and sees which of them no test notices.

    mutate.py [--only WORD] [--first N]     builds build/mutants/src, judges what is not judged yet, writes docs/mutants.md
    mutate.py list                          the faults that would be planted

Exit 1 where more than 5 % survive. What was judged is kept as long as the copy's libraries stay the same; what
survived is judged again when a test changed. See README.md.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import signal
import sys
import threading
import time

import judge
import page
import plant

OUT = plant.ROOT / "build/mutants"
WORKERS = 2


def digest(*paths):
    out = hashlib.sha256()
    for path in paths:
        out.update(path.read_bytes() if path.is_file() else b"none")
    return out.hexdigest()[:16]


def load(path):
    return json.loads(path.read_text()) if path.is_file() else {}


def save(path, data):
    """Whole or not at all: a run may be ended at any time."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(data, indent=1))
    new.replace(path)


def reached_by(folder, libraries, count):
    """All tests with their cases and what those reach. A test that did not change is not traced again."""
    tests, file = judge.tests_of(folder), OUT / "reached.json"
    known = load(file)
    lock = threading.Lock()

    def trace(test):
        stamp = f"{libraries} {digest(judge.Path(test.command[0]))} {count}"
        if known.get(test.name, {}).get("stamp") != stamp:
            cases = [[each.seconds, each.name, sorted(each.reached)] for each in judge.reach(folder, test, count)]
            with lock:
                known[test.name] = {"stamp": stamp, "cases": cases}
                save(file, known)
                print(f"traced {test.name}: {sum(case[0] for case in cases):.1f} s", flush=True)

    later = {"test_coverage"}  # reads what the others left
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(trace, [test for test in tests if test.name not in later]))
    for test in tests:
        if test.name in later:
            trace(test)
    rows = [(test, [judge.Case(seconds, name, frozenset(numbers)) for seconds, name, numbers in known[test.name]["cases"]])
            for test in tests]
    stamps = hashlib.sha256(json.dumps([known[test.name]["stamp"] for test in tests]).encode()).hexdigest()[:16]
    return rows, stamps


def judge_all(folder, mutants, reached, results, stamps, save_results):
    """Adds a verdict for each fault that has none, in a mixed order: what is done first says something of all."""
    def is_open(mutant):
        known = results.get(name_of(mutant))
        return known is None or known["verdict"] != "killed" and known["stamps"] != stamps

    waiting = [number for number, mutant in mutants.items() if is_open(mutant)]
    random.Random(1).shuffle(waiting)
    start, done = time.monotonic(), 0

    def work(number):
        return number, judge.judged(number, folder, reached)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for future in concurrent.futures.as_completed([pool.submit(work, number) for number in waiting]):
            number, verdict = future.result()
            mutant = mutants[number]
            done += 1
            results[name_of(mutant)] = {**verdict, "key": mutant.key, "stamps": stamps}
            save_results()
            print(f"{done}/{len(waiting)} {time.monotonic() - start:.0f} s: {number} {mutant.file}:{mutant.number}: "
                  f"{mutant.fault.rule}: {verdict['verdict']} {verdict.get('how', '')} {verdict.get('by', '')}", flush=True)


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
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(1))
    mutants = plant.chosen()
    if options.command == "list":
        for number, mutant in mutants.items():
            print(f"{number} {mutant.file}:{mutant.number}: {mutant.fault.rule}: {mutant.line}")
        return 0
    os.nice(5)
    folder = OUT / "src"
    count = max(mutants)
    mutants = plant.build(folder, mutants, WORKERS)
    build = folder / "build"
    libraries = digest(build / "libt2nnef.so", build / "libt2nnef_torch.so", build / "t2nnef")
    reached, stamps = reached_by(folder, libraries, count)
    file = OUT / "results.json"
    stored = load(file)
    if stored.get("libraries") != libraries:
        stored = {"libraries": libraries, "results": {}}
    results = stored["results"]
    judge_all(folder, chosen_ones(options, mutants), reached, results, stamps, lambda: save(file, stored))
    judged = {mutant: results[name_of(mutant)] for mutant in mutants.values() if name_of(mutant) in results}
    share = page.write(judged, plant, whole=len(judged) == len(mutants))
    return share > page.ALLOWED


if __name__ == "__main__":
    sys.exit(main())
