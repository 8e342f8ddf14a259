# SPDX-License-Identifier: Apache-2.0
"""Makes the copy of the sources with the faults in it, and builds it."""

import fnmatch
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from sites import mutants_of, switched

ROOT = Path(__file__).resolve().parents[2]

# What the page calls them, the files, and how many faults. The first that fits has the file.
PARTS = [
    ("strict rules", ["src/strict/*.cpp", "src/nnef_ops/*.cpp", "src/lint/*.cpp"], 24),
    ("shape rules", ["ops/*/*_shapes.cpp", "src/shapes/*.cpp"], 26),
    ("tracer (src/frontend)", ["src/frontend/*/*.cpp", "src/model_file/*.cpp"], 58),
    ("passes (src/passes)", ["src/passes/*.cpp", "src/complex/*.cpp", "src/quant/*.cpp"], 24),
    ("translations (ops)", ["ops/*.cpp", "src/translate/*.cpp", "src/tract_forms/*.cpp"], 56),
    ("dynamic sizes (src/dynamic)", ["src/dynamic/*.cpp"], 18),
    ("graph (ir)", ["ir/*.cpp"], 20),
    ("compare (src/check)", ["src/check/*.cpp"], 14),
    ("reader (src/nnef)", ["src/nnef/*.cpp"], 18),
    ("writer (nnef_writer)", ["nnef_writer/*.cpp"], 18),
    ("evaluator (src/eval)", ["src/eval/*.cpp"], 4),
    ("export and its checks (src/export)", ["src/export/*.cpp", "src/samples/*.cpp"], 20),
    ("interpreter (src/interp)", ["src/interp/*.cpp"], 18),
    ("the rest (src/spec, tract, target, report, diff, config)",
     ["src/spec/*.cpp", "src/tract/*.cpp", "src/target/*.cpp", "src/report/*.cpp", "src/diff/*.cpp", "src/config/*.cpp"], 18),
]
HARVEST = "tests/support/harvest.cpp"  # in the copy only
ROUNDS = 6  # of builds: each drops what does not compile


def part_of(file):
    return next((name for name, patterns, _ in PARTS if any(fnmatch.fnmatch(file, each) for each in patterns)), None)


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def chosen():
    """Faults by number, the same for the same sources."""
    by_part = {}
    for file in sorted(name for name in tracked() if name.endswith(".cpp") and part_of(name)):
        by_part.setdefault(part_of(file), []).extend(mutants_of(file, (ROOT / file).read_text()))
    out = []
    for name, _, count in PARTS:
        out += sorted(by_part.get(name, []), key=lambda mutant: mutant.rank)[:count]
    out.sort(key=lambda mutant: (mutant.file, mutant.place.start))
    return dict(enumerate(out, 1))


def write(path, text):
    """Leaves a file alone that is right: what is built of it stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)


def copy_tree(folder, but):
    """All but the files that are written with faults in them."""
    names = set(tracked())
    kept = names | {HARVEST}
    for name in names - but:
        source, path = ROOT / name, folder / name
        write(path, source.read_bytes())
        shutil.copymode(source, path)
    for old in list(folder.rglob("*.cpp")) + list(folder.rglob("*.h")):
        if str(old.relative_to(folder)) not in kept and old.relative_to(folder).parts[0] != "build":
            old.unlink()
    (folder / "build").mkdir(parents=True, exist_ok=True)
    for name in ("engines", "venv", "nnef_tools", "env.sh"):
        if (ROOT / "build" / name).exists() and not (folder / "build" / name).exists():
            (folder / "build" / name).symlink_to((ROOT / "build" / name).resolve())


def plant(folder, mutants):
    """Rewrites the files that hold faults, and tells the build that what they warn of is meant."""
    by_file = {}
    for number, mutant in mutants.items():
        by_file.setdefault(mutant.file, {})[mutant] = number
    for file, inside in by_file.items():
        text = switched((ROOT / file).read_text(), inside)
        write(folder / file, f'#include "tests/mutants/mutant.h"\n#line 1\n{text}')
    lists = (ROOT / "CMakeLists.txt").read_text()
    names = "\n  ".join(sorted(by_file))
    lists += f"\nset_source_files_properties(\n  {names}\n  PROPERTIES COMPILE_OPTIONS -w)\n"
    write(folder / "CMakeLists.txt", lists)
    write(folder / HARVEST, (ROOT / "tests/mutants/harvest.cpp").read_text())


def run_build(folder, jobs):
    configured = folder / "build/release/build.ninja"
    if not configured.exists():
        subprocess.run(["cmake", "--preset", "release", "-DT2N_SANITIZED_TESTS=OFF"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["cmake", "--build", "--preset", "release", f"-j{jobs}", "--", "-k", "0"], cwd=folder,
                          capture_output=True, text=True)


def lines_of(mutant):
    """The first line and the last of a fault's place."""
    text = (ROOT / mutant.file).read_text()
    return text.count("\n", 0, mutant.place.start) + 1, text.count("\n", 0, mutant.place.end) + 1


def broken(mutants, output):
    """The faults that do not compile: all of a file whose errors name no line of theirs."""
    named = {}
    for file, line in re.findall(r"^\S*?((?:src|ops|ir|nnef_writer)/\S+\.cpp):(\d+)(?::\d+)?: +(?:error|required)", output, re.MULTILINE):
        named.setdefault(file, set()).add(int(line))
    failed = set(named) | set(re.findall(r"^FAILED: \S*?/((?:src|ops|ir|nnef_writer)/\S+\.cpp)\.o", output, re.MULTILINE))
    out = set()
    for file in failed:
        here = {number for number, mutant in mutants.items() if mutant.file == file}
        hit = {number for number in here for first, last in [lines_of(mutants[number])]
               if any(first <= line <= last for line in named.get(file, ()))}
        out |= hit or here
    return out


def broken_before(file, mutants):
    """Which did not compile in an earlier build of the same sources, by a file of their stamps."""
    known = set(file.read_text().split()) if file.is_file() else set()
    return {number for number, mutant in mutants.items() if stamp(mutant) in known}


def digest_of(file):
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:12]


def stamp(mutant):
    return f"{digest_of(mutant.file)}/{mutant.rank:.15f}"


def without(mutants, numbers):
    return {number: mutant for number, mutant in mutants.items() if number not in numbers}


def build(folder, mutants, jobs):
    """The faults that compile, built."""
    memory = ROOT / "build/mutants/broken.txt"
    mutants = without(mutants, broken_before(memory, mutants))
    copy_tree(folder, {mutant.file for mutant in mutants.values()} | {"CMakeLists.txt"})
    for _ in range(ROUNDS):
        plant(folder, mutants)
        result = run_build(folder, jobs)
        if result.returncode == 0:
            return mutants
        dropped = broken(mutants, result.stdout + result.stderr)
        if not dropped:
            raise SystemExit(f"the copy does not build:\n{(result.stdout + result.stderr)[-4000:]}")
        print(f"{len(dropped)} faults do not compile", flush=True)
        with open(memory, "a") as file:
            file.writelines(stamp(mutants[number]) + "\n" for number in dropped)
        back = {mutants[number].file for number in dropped}
        mutants = without(mutants, dropped)
        for file in back - {mutant.file for mutant in mutants.values()}:
            write(folder / file, (ROOT / file).read_bytes())
    raise SystemExit("the copy does not build")
