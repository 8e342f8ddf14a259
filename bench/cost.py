# SPDX-License-Identifier: Apache-2.0
"""What the layers against hostile files cost: exports with all of them, and without each of them.

    cost.py [--pairs N] [--markdown FILE] MODEL…

A library that stands in front of the program's own (LD_PRELOAD) replaces a layer's functions by ones that count their
calls and do nothing; the product has no switch for it. Runs with and without alternate, and the times of the
processor are compared, of user and system together: what else the machine does only adds to them, so the mean of the
faster half of the runs counts. The confinement has its own switch, T2NNEF_CONFINE=off. Where valgrind is installed, it
also counts the instructions that all layers execute, which is the same in every run; the kernel's work, the confinement
with it, is not in there. Exit 1 where all layers together cost more than 3 % of an export (the median over the models),
or where a layer's functions were not called, since nothing was measured then.
"""

import argparse
import mmap
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST = 0.03
ALL_TIMES = 4  # as many runs without any layer, which is what is judged

# Layer: its functions, as demangled names begin. All of them give nothing back.
LAYERS = {
    "structure": ["t2n::model_file::check_pickle(", "t2n::model_file::CodeScan::add(", "t2n::model_file::CodeScan::finish("],
    "operators": ["t2n::trace::OperatorScan::require("],
    "registry": ["t2n::trace::install_guards("],
    "values": ["t2n::trace::check_nesting(", "t2n::trace::check_slots(", "t2n::trace::check_tensors("],
    "memory": ["t2n::trace::limit_allocations(", "t2n::limits::require_bytes("],
    "watch": ["t2n::limits::start_watch("],
    "checksums": ["t2n::model_file::check_crc("],
}


def symbols(library):
    """Mangled names of the functions that a library gives, by their demangled ones."""
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    mangled = [line.split()[2] for line in names.splitlines() if line.split()[1] == "T"]
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    return dict(zip(plain.splitlines(), mangled))


def functions_of(layers, program):
    """The mangled names that the layers' functions have in the program's libraries."""
    known = {}
    for library in ("libt2nnef.so", "libt2nnef_torch.so"):
        known.update(symbols(program.with_name(library)))
    out = []
    for layer in layers:
        for begin in LAYERS[layer]:
            found = [mangled for plain, mangled in known.items() if plain.startswith(begin)]
            if not found:
                sys.exit(f"{begin[:-1]}, a function of the layer '{layer}', is not in the program: rename it in bench/cost.py")
            out += found
    return out


def build_replacement(folder, names):
    """A library with functions of these names, which add one to a counter of their own in the file T2N_COST."""
    lines = ["#include <fcntl.h>", "#include <stdlib.h>", "#include <sys/mman.h>", "static volatile unsigned* counts;",
             "__attribute__((constructor)) static void open_counts(void) {",
             '  int file = open(getenv("T2N_COST"), O_RDWR);',
             f"  counts = mmap(0, {4 * len(names)}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);", "}"]
    lines += [f"void {name}(void) {{ ++counts[{number}]; }}" for number, name in enumerate(names)]
    source, library = folder / "replacement.c", folder / "replacement.so"
    source.write_text("\n".join(lines) + "\n")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


class Layer:
    """A way to run the program without something; with nothing left out, all of it."""

    def __init__(self, folder, program, layers, is_confined=True):
        self.environment = {} if is_confined else {"T2NNEF_CONFINE": "off"}
        self.names = functions_of(layers, program)
        if not self.names:
            return
        self.counts = folder / "counts"
        self.counts.write_bytes(bytes(4 * len(self.names)))
        self.environment |= {"LD_PRELOAD": str(build_replacement(folder, self.names)), "T2N_COST": str(self.counts)}

    def uncalled(self):
        if not self.names:
            return []
        with open(self.counts, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return [name for number, name in enumerate(self.names) if not any(data[4 * number:4 * number + 4])]


def processor_seconds(program, model, given, folder):
    """Of one export, children included."""
    command = [program, "export", *model, "-t", "tract", "-o", str(folder / "out.nnef.tar")]
    child = subprocess.Popen(command, env={**os.environ, **given}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{said}")
    return used.ru_utime + used.ru_stime


def instructions(program, model, given, folder):
    """Of one export, as valgrind counts them, outside of the kernel."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "export", *model, "-t", "tract",
               "-o", str(folder / "out.nnef.tar")]
    child = subprocess.run(command, env={**os.environ, **given, "T2NNEF_CONFINE": "off"}, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", child.stderr)
    if child.returncode != 0 or not found:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{child.stderr[-2000:]}")
    return int(found[1])


def share_of_instructions(program, model, layer, folder):
    return 1 - instructions(program, model, layer.environment, folder) / instructions(program, model, {}, folder)


def faster_half(times):
    return statistics.mean(sorted(times)[:(len(times) + 1) // 2])


def share(program, model, layer, pairs, folder):
    """The part of an export's time that goes where the layer is there."""
    took = [[], []]
    for number in range(pairs):
        for side in ((0, 1) if number % 2 else (1, 0)):
            took[side].append(processor_seconds(program, model, layer.environment if side else {}, folder))
    return 1 - faster_half(took[1]) / faster_half(took[0])


def measure(program, models, pairs, folder):
    """Rows of (name, shares of each model), and the functions that nothing called."""
    ways = {f"without {name}": ([name], True) for name in LAYERS}
    ways["without confinement"] = ([], False)
    ways["without all of them"] = (list(LAYERS), False)
    rows, uncalled = [], set()
    for name, (layers, is_confined) in ways.items():
        place = folder / name.replace(" ", "_")  # LD_PRELOAD separates by spaces
        place.mkdir()
        layer = Layer(place, program, layers, is_confined)
        turns = ALL_TIMES * pairs if layers == list(LAYERS) else pairs
        shares = [share(program, model, layer, turns, folder) for model in models]
        uncalled |= set(layer.uncalled())
        rows.append((name, shares))
        print(f"{name}: " + ", ".join(f"{100 * each:.1f} %" for each in shares), flush=True)
    if shutil.which("valgrind"):  # with the last way
        rows.append((f"{name}, instructions", [share_of_instructions(program, model, layer, folder) for model in models]))
    return rows, uncalled


def page(models, rows, pairs):
    names = [re.sub(r".*/([^/]+)/model\.pt$", r"\1", model[0]) for model in models]
    lines = ["# Run-time cost of the protection against untrusted files", "",
             "The share of an export's processor time that each layer of protection",
             "([architecture.md](architecture.md#untrusted-files)) takes. `make cost` exports each model with all layers, and",
             f"without some, in interleaved runs. It compares the mean of the faster half of {pairs} runs each, and of",
             f"{ALL_TIMES * pairs} runs without any layer. A cell of a single layer varies by some 2 %, of all by 1 %, so only the",
             "medians are meaningful. The last row counts instructions outside of the kernel, which do not vary.", "",
             "| | " + " | ".join(names) + " | median |", "| --- |" + " --- |" * (len(names) + 1)]
    for name, shares in rows:
        cells = [f"{100 * each:.1f} %" for each in [*shares, statistics.median(shares)]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="a file, or 'FILE -i SPEC…' as one word")
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    models = [model.split() for model in options.models]
    with tempfile.TemporaryDirectory() as folder:
        rows, uncalled = measure(options.program.resolve(), models, options.pairs, Path(folder))
    if options.markdown:
        options.markdown.write_text(page(models, rows, options.pairs))
    if uncalled:
        sys.exit(f"never called, so not measured: {' '.join(sorted(uncalled))}")
    together = statistics.median(dict(rows)["without all of them"])
    print(f"all layers: {100 * together:.1f} % of an export, {100 * MOST:.0f} % are allowed")
    return together > MOST


if __name__ == "__main__":
    sys.exit(main())
