# SPDX-License-Identifier: Apache-2.0
"""Random and kept programs, exported and compared with torch at other values and sizes.

    run.py seeds FROM-TO    random programs of each generator; findings and results.jsonl go to --out
    run.py kept [FILE...]   the kept programs, or these
    run.py show SEED        a seed's program
    run.py test             the kept programs and a fixed few seeds; exit 1 unless all pass
    run.py reduce FILE...   the smallest program with the same verdict, beside it as NAME.small.py
"""

import argparse
import signal
import sys
import time
from pathlib import Path

import campaign
import judge
import program as programs
import reduce

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).resolve().parent / "kept"
TEST_SEEDS = {"statements": range(30), "layers": range(1, 14)}


def listed(folder):
    return sorted(folder.glob("*.py"))


def run_seeds(options, seeds):
    """The results, with findings and a line per program written as they come."""
    options.out.mkdir(parents=True, exist_ok=True)
    results, start = [], time.monotonic()
    with open(options.out / "results.jsonl", "w") as log:
        for result in campaign.judged(campaign.judge_seeds, options.program, seeds, options.workers):
            results.append(result)
            print(campaign.as_json(result), file=log, flush=True)
            if campaign.failures([result]):
                campaign.write_finding(options.out, result)
            if len(results) % 500 == 0:
                bad = len(campaign.failures(results))
                print(f"{len(results)} of {len(seeds)} programs, {bad} bad, {time.monotonic() - start:.0f} s", flush=True)
    return results


def seeds_of(options, ranges):
    return [(generator, seed, campaign.is_dynamic(generator, seed, options.axes)) for generator, seeds in ranges.items() for seed in seeds]


def seeds_command(options):
    first, last = (options.what[0].split("-") * 2)[:2]
    results = run_seeds(options, seeds_of(options, {generator: range(int(first), int(last) + 1) for generator in options.generators}))
    (options.out / "summary.txt").write_text(campaign.summary(results) + "\n")
    print(campaign.summary(results))
    return results


def kept_command(options):
    files = [Path(each) for each in options.what] or listed(KEPT)
    results = []
    for result in campaign.judged(campaign.judge_files, options.program, files, options.workers):
        results.append(result)
        print(f"{result.name:28} {result.kind:9} {result.verdict.why}", flush=True)
    return results


def test_command(options):
    """Short: what failed, with the program of a seed."""
    results = list(campaign.judged(campaign.judge_files, options.program, listed(KEPT), options.workers))
    seeds = seeds_of(options, {generator: TEST_SEEDS[generator] for generator in options.generators})
    results += campaign.judged(campaign.judge_seeds, options.program, seeds, options.workers)
    for result in campaign.failures(results):
        print(f"{result.name}: {result.kind}: {result.verdict.why}")
        if result.name.startswith(tuple(campaign.GENERATORS)):
            print(programs.to_text(result.program))
    print(campaign.table(results))
    return results


def show_command(options):
    with campaign.Judge(options.program) as judging:
        for generator, seed, dynamic in seeds_of(options, {generator: [int(options.what[0])] for generator in options.generators}):
            print(programs.to_text(campaign.save_seed(judging, generator, seed, dynamic)), end="")
    return []


def reduce_command(options):
    for file in options.what:
        small = reduce.reduced(options.program, programs.from_text(Path(file).read_text()))
        Path(file).with_suffix(".small.py").write_text(programs.to_text(small))
        print(f"{file}: {small.notes[0]}", flush=True)
    return []


COMMANDS = {"seeds": seeds_command, "kept": kept_command, "test": test_command, "show": show_command, "reduce": reduce_command}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("what", nargs="*")
    parser.add_argument("--generators", nargs="+", choices=campaign.GENERATORS, default=list(campaign.GENERATORS))
    parser.add_argument("--axes", choices=("mixed", "static", "open"), default="mixed")
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--out", type=Path, default=ROOT / "build/programs")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_intermixed_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the workers end as well
    sys.exit(bool(campaign.failures(COMMANDS[options.command](options))))


if __name__ == "__main__":
    main()
