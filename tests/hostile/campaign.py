# SPDX-License-Identifier: Apache-2.0
"""Attacks the program for a while and counts how it ends; see README.md.

usage: campaign.py --program T2NNEF [--seconds S] [--seed N] [--workers N] [--out DIR] [--page FILE]
       campaign.py --program T2NNEF --kept            the kept findings, and nothing else
"""
import argparse
import collections
import concurrent.futures
import io
import json
import pathlib
import random
import subprocess
import sys
import time
import warnings
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import artefacts
import commands
import minimise
import models
import mutate
import operators
import run as run_module
from case import Case
from run import run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pages"))
import stamp

warnings.filterwarnings("ignore", message="Duplicate name")  # which is one of the attacks
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST_SECONDS = 120 if run_module.SANITIZED else 10  # of a kept file


class Seeds:
    """Good files, to be damaged."""

    def __init__(self, program):
        fixtures = ROOT / "fixtures"
        self.models = [(path.read_bytes(), None) for path in sorted(fixtures.glob("*/model.pt"))
                       if path.stat().st_size < 200_000]
        self.good = (fixtures / "digits_cnn/model.pt").read_bytes()  # keeps its samples: commands succeed
        self.models += [(path.read_bytes(), "x=4,f32") for path in sorted((HERE / "files").glob("*/*.pt"))]
        self.exported = [path.read_bytes() for folder in (HERE / "seeds", HERE.parent / "pt2/saved")
                         for path in sorted(folder.glob("*.pt2"))]
        self.artefacts = [exported(program, path, target) for path in sorted(fixtures.glob("*/model.pt"))
                          if path.stat().st_size < 200_000 for target in ("tract", "khronos")]
        self.artefacts = [members for members in self.artefacts if members]
        self.artefacts += [mutate.tar_members(path.read_bytes())
                           for path in sorted((HERE / "files").glob("*/*.nnef.tar"))]
        text = b"version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [1, 4]);\n    y = neg(x);\n}\n"
        self.plain = mutate.tarred([("graph.nnef", text)])
        self.artefacts.append([("graph.nnef", text)])
        self.operators = operators.Operators()
        self.npz = npz({"x": b"\0" * 16})


def exported(program, model, target):
    """The members of a model's artefact; nothing where it cannot be exported."""
    result = subprocess.run([program, "export", str(model), "-t", target, "-o", "-"], capture_output=True)
    return mutate.tar_members(result.stdout) if result.returncode == 0 else []


def npz(arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, values in arrays.items():
            header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }".ljust(117) + b"\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values)
    return out.getvalue()


MAKERS = [(lambda rng, seeds: artefacts.single_operation(rng), 4), (artefacts.damaged, 3),
          (lambda rng, seeds: artefacts.growing(rng), 1), (models.damaged, 4), (models.exported, 3), (operators.single, 4), (models.samples, 1),
          (commands.line, 2), (commands.outputs, 2), (commands.config, 1), (commands.faults, 3)]


def make(number, seed, seeds):
    rng = random.Random(f"{seed}/{number}")
    maker = rng.choices([m for m, _ in MAKERS], [w for _, w in MAKERS])[0]
    try:
        return maker(rng, seeds)
    except (ValueError, IndexError, OverflowError, NotImplementedError, zipfile.BadZipFile, OSError):
        return None  # a damaged seed cannot be taken apart again


def keep(case, verdict, out, number, program):
    """Minimises a finding and saves it, the first few of each problem."""
    folder = out / f"{verdict.problem.replace(' ', '_').replace('/', '_')}-{number}"
    small = minimise.minimised(case, lambda c: run(program, c).problem == verdict.problem)
    small.save(folder)
    (folder / "seen.txt").write_text(f"{verdict.problem}, exit {verdict.code}, {verdict.seconds:.1f} s, "
                                     f"{verdict.rss >> 20} MiB\n{verdict.text[-4000:]}", errors="surrogateescape")
    return folder


def attack(arguments):
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    seeds = Seeds(arguments.program)
    counts = collections.defaultdict(collections.Counter)
    findings = collections.Counter()
    slowest, largest = 0.0, 0
    stamp_line = stamp.line()  # of what is attacked; who works on meanwhile changes nothing of it
    end = time.monotonic() + arguments.seconds
    number = arguments.first
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool:
        waiting = {}
        while time.monotonic() < end or waiting:
            while time.monotonic() < end and len(waiting) < arguments.workers:
                case = make(number, arguments.seed, seeds)
                if case is not None and case.kind.startswith(arguments.only):
                    waiting[pool.submit(run, arguments.program, case)] = (number, case)
                number += 1
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                at, case = waiting.pop(future)
                verdict = future.result()
                counts[case.kind][verdict.problem or f"exit {verdict.code}"] += 1
                slowest, largest = max(slowest, verdict.seconds), max(largest, verdict.rss)
                if verdict.problem:
                    findings[verdict.problem] += 1
                    print(f"{verdict.problem}: case {at}: {' '.join(case.argv)!r:.120} {case.faults or ''}", flush=True)
                    if findings[verdict.problem] <= 5:
                        keep(case, verdict, out, at, arguments.program)
    text = report(counts, findings, slowest, largest)
    print(f"\n{text}")
    if arguments.page:
        write_page(arguments, text, stamp_line)
    return bool(findings)


def table(counts):
    ends = sorted({end for c in counts.values() for end in c}, key=lambda e: (not e.startswith("exit"), len(e), e))
    rows = ["| class | attacks | " + " | ".join(ends) + " |", "|" + " --- |" * (len(ends) + 2)]
    rows += [f"| {kind} | {sum(counts[kind].values())} | " + " | ".join(str(counts[kind][end] or "") for end in ends) + " |"
             for kind in sorted(counts)]
    return "\n".join(rows)


def report(counts, findings, slowest, largest):
    """What is said at the end, and stands in the page."""
    total = sum(sum(c.values()) for c in counts.values())
    return (f"{total} attacks, {sum(findings.values())} findings; slowest {slowest:.1f} s, "
            f"most memory {largest >> 20} MiB\n\n{table(counts)}\n")


PAGE = """# Attacks with hostile files and command lines

`make hostile` ([tests/hostile](../tests/hostile/README.md)) generates damaged and hand-made files, command lines and
faults of the machine from a seed, and runs the program on each. An attack that ends the program by a signal or with exit
1, hangs it, overwrites or leaves a file, prints an escape sequence, or takes more memory than {memory} is a finding. This
run took {minutes} minutes with seed {seed}, {workers} attacks at a time, {build}. A negative exit is a signal that the
attack itself sent.

{report}"""


def write_page(arguments, text, stamp_line):
    build = "with sanitizers in our code" if run_module.SANITIZED else "of the release build"
    page = PAGE.format(minutes=round(arguments.seconds / 60), seed=arguments.seed, workers=arguments.workers,
                       build=build, report=text, memory=run_module.LIMIT)
    pathlib.Path(arguments.page).write_text(stamp.stamped(page, stamp_line))


def check_kept(arguments):
    """Findings that were mended, and the files that once broke the program with their exit codes."""
    failed = 0
    for folder in sorted((HERE / "kept").glob("*/case.json")):
        verdict = run(arguments.program, Case.load(folder.parent))
        if verdict.problem:
            failed += 1
            print(f"{folder.parent.name}: {verdict.problem}, exit {verdict.code}\n{verdict.text[-1500:]}")
    for row in json.loads((HERE / "files.json").read_text()):
        argv = [word.replace("FILE", "m" + pathlib.Path(row["file"]).suffix) for word in row["argv"]]
        name = "m" + pathlib.Path(row["file"]).suffix
        case = Case("file", argv, {name: (HERE / "files" / row["file"]).read_bytes()})
        verdict = run(arguments.program, case)
        if verdict.problem or verdict.code not in row["codes"] or verdict.cpu > MOST_SECONDS:
            failed += 1
            print(f"{row['file']}: {' '.join(argv)}: exit {verdict.code}, expected {row['codes']}, {verdict.cpu:.1f} s "
                  f"{verdict.problem}\n{verdict.text[-1500:]}")
    print(f"{failed} failures")
    return failed > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", default="found")
    parser.add_argument("--page", help="a page to be written, docs/hostile.md")
    parser.add_argument("--only", default="", help="classes whose names begin so")
    parser.add_argument("--kept", action="store_true")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    sys.exit(check_kept(arguments) if arguments.kept else attack(arguments))


if __name__ == "__main__":
    main()
