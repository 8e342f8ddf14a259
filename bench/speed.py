# SPDX-License-Identifier: Apache-2.0
"""How long an export takes, beside its floor and beside the Python exporter of the peers.

    speed.py FOLDER [--rounds N] [--markdown FILE]

FOLDER is what models.py wrote. All ways take turns, round after round, since absolute times on a shared machine say
nothing: the page has ratios, each the median over the rounds. The floor is bench/floor.cpp: LibTorch loads the model,
runs it once, and writes its weights. Exit 1 where an export to a folder takes more than 0.8 of the floor, or one to a
.tgz more than twice.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS_PYTHON = ROOT / "build/peers/bin/python"
SAMPLES = {"resnet18": ["f32", "1", "3", "224", "224"], "encoder": ["i64", "1", "128"]}  # as models.py has them
BUDGETS = {"folder": 0.8, ".tgz": 2.0}  # of the floor


def ways(file, folder):
    """Commands by name."""
    program = str(ROOT / "build/t2nnef")
    out = {
        "floor": [str(ROOT / "build/t2n_floor"), file, folder / "weights", *SAMPLES[file.parent.name]],
        "folder": [program, "export", file, "-t", "tract", "-o", f"{folder}/folder"],
        ".tar": [program, "export", file, "-t", "tract", "-o", f"{folder}/out.nnef.tar"],
        ".tgz": [program, "export", file, "-t", "tract", "-o", f"{folder}/out.nnef.tgz"],
        "inspect": [program, "inspect", file],
        "--help": [program, "--help"],
    }
    if PEERS_PYTHON.exists():
        out["torch_to_nnef .tgz"] = [PEERS_PYTHON, ROOT / "bench/peer.py", file.parent.name, folder / "peer.nnef.tgz"]
    return out


def run(command):
    """Seconds, processor's seconds and peak memory in MB; None where it fails."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        print(f"{command[0]} failed: {said[-300:]}", file=sys.stderr)
        return None
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(file, rounds):
    """Per way the list of runs."""
    found = {}
    for number in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            for name, command in ways(file, Path(folder)).items():
                if result := run([str(word) for word in command]):
                    found.setdefault(name, []).append(result)
                shutil.rmtree(f"{folder}/folder", ignore_errors=True)
        if number == 0:  # warms the file cache
            found = {name: [] for name in found}
    return {name: runs for name, runs in found.items() if runs}


def row(name, runs, floor):
    wall, cpu = (statistics.median(each[i] / other[i] for each, other in zip(runs, floor)) for i in (0, 1))
    return wall, f"| {name} | {wall:.2f} | {cpu:.2f} | {statistics.median(each[2] for each in runs):.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    text, broken = ["# Speed", "", "What `make bench` measured: each way beside the floor, which is LibTorch loading the model, running it once and",
                    "writing its weights, in C++ ([bench/floor.cpp](../bench/floor.cpp)). Ratios of time, the median of",
                    f"{options.rounds} rounds in which all ways take turns; memory is the peak in MB, mapped pages of the model included."], []
    for file in sorted(options.folder.glob("*/model.pt")):
        found = measure(file, options.rounds)
        if "floor" not in found:
            sys.exit("the floor did not run: build t2n_floor")
        text += ["", f"## {file.parent.name}, {file.stat().st_size / 1e6:.0f} MB", "", "| | time | processor | memory |", "| --- | --- | --- | --- |"]
        for name, runs in found.items():
            ratio, line = row(name, runs, found["floor"])
            text.append(line)
            if ratio > BUDGETS.get(name, ratio):
                broken.append(f"{file.parent.name}: {name} takes {ratio:.2f} of the floor, {BUDGETS[name]} are allowed")
    print("\n".join(text + [""] + broken))
    if options.markdown:
        options.markdown.write_text("\n".join(text) + "\n")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
