# SPDX-License-Identifier: Apache-2.0
"""How the time of each step grows with the number of operations.

    linear.py FOLDER [--largest N] [--results FILE.json]

Chains of operations of growing length are exported (static, with an open axis, strict), rewritten, linted, compared
and checked; FOLDER keeps the models. Processor time t = a + b·n^e is fitted: a is what the shortest chain takes, e the
slope of log(t - a) over log(n). Times on a shared machine vary, so each is the least of three runs.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = str(ROOT / "build/t2nnef")
SIZES = (10, 1_000, 4_000, 16_000, 64_000, 100_000)
STEPS = 4  # operations of one turn of the chains' loop


def chain(x, turns: int):
    for turn in range(turns):
        x = x.relu() + 1.5
        x = x * 0.75 - x.tanh()
    return x


def reshapes(x, turns: int):
    """Sizes that are computed from an open one."""
    for turn in range(turns):
        x = x.reshape(x.size(0), 2, -1) + 0.5
        x = x.reshape(x.size(0), -1) * 0.75
    return x


def make(folder, count):
    """The models of this length, as files by name; they are kept from run to run."""
    import torch
    from torch import nn

    class Loop(nn.Module):
        def __init__(self):
            super().__init__()
            self.turns = turns

        def forward(self, x):
            for i in range(self.turns):
                x = x.relu() + 1.5
                x = x * 0.75 - i
            return x

    turns = max(1, count // STEPS)
    files = {name: folder / f"{name}_{count}.pt" for name in ("chain", "reshapes", "loop")}
    for name, function in (("chain", chain), ("reshapes", reshapes)):
        if not files[name].exists():
            traced = torch.jit.trace(lambda x, f=function: f(x, turns), torch.rand(2, 8), check_trace=False)
            traced.save(str(files[name]))
    if not files["loop"].exists():
        torch.jit.script(Loop()).save(str(files["loop"]))
    return files


def steps(files, folder):
    """Commands by name, in the order in which they need each other's files."""
    graph, document, other = folder / "graph.ir", folder / "out.nnef.tar", folder / "other.nnef.tar"
    sample = ["-i", "x=2,8"]

    def export(name, *options, target="tract", out=other):
        return ["export", files[name], *sample, "-t", target, "-o", out, *options]

    return {
        "export": export("chain", out=document),
        "export, open axis": export("chain", "--dynamic", "x:0=B"),
        "export, open axis, reshapes": export("reshapes", "--dynamic", "x:0=B"),
        "export, scripted loop": export("loop"),
        "export, strict": export("chain", target="khronos"),
        "opt, all passes": ["opt", files["chain"], *sample, "--passes", "default", "-o", graph],
        "opt, read and print": ["opt", graph, "-o", folder / "copy.ir"],
        "lint": ["lint", document],
        "inspect": ["inspect", document],
        "diff": ["diff", document, document],
        "check": ["check", files["chain"], document, *sample],
    }


def processor_seconds(command, limit):
    """Of a run, children included; None where it fails or takes longer than the limit in seconds."""
    child = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    said = child.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) != 0:
        print(f"{' '.join(map(str, command))} failed: {said[-500:]}", file=sys.stderr)
        return None
    return used.ru_utime + used.ru_stime


def measure(folder, sizes, runs, limit, only):
    """Seconds by step and length."""
    found = {}
    for count in sizes:
        files = make(folder, count)
        with tempfile.TemporaryDirectory() as place:
            for name, command in steps(files, Path(place)).items():
                if only and only not in name:
                    continue
                times = [processor_seconds(command, limit) for _ in range(runs)]
                found.setdefault(name, {})[count] = None if None in times else min(times)
                print(f"{count:>7} {name}: {found[name][count]}", file=sys.stderr, flush=True)
    return found


def fit(times):
    """The exponent, and microseconds of one operation at the greatest length."""
    start = times[min(times)]
    points = [(math.log(n), math.log(t - start)) for n, t in times.items() if n > min(times) and t > start]
    mean_x, mean_y = (sum(axis) / len(points) for axis in zip(*points))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return {"exponent": slope, "microseconds": 1e6 * (times[max(times)] - start) / max(times), "times": times}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=120, help="processor seconds of one run")
    parser.add_argument("--only", help="steps whose name contains this")
    parser.add_argument("--results", type=Path, default=ROOT / "build/bench/linear.json")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = measure(options.folder, [size for size in SIZES if size <= options.largest], options.runs, options.limit,
                    options.only)
    fits = {name: fit(times) for name, times in found.items() if None not in times.values()}
    for name, each in fits.items():
        print(f"{each['exponent']:.2f} {each['microseconds']:6.0f} us  {name}")
    options.results.write_text(json.dumps(fits))
    return len(fits) < len(found)


if __name__ == "__main__":
    sys.exit(main())
