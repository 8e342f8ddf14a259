# SPDX-License-Identifier: Apache-2.0
"""How long exports take, beside their floor and beside other exporters, and how fast the engine runs what they write.

    speed.py FOLDER [--rounds N] [--results FILE.json] [NAME...]

FOLDER is what models.py wrote. Every run is a fresh process. All ways take turns, round after round, since absolute
times on a shared machine say nothing. The floor is bench/floor.cpp: LibTorch loads the model, runs it once, and writes
its weights. Outputs go to memory (/dev/shm) where that exists, so that the disk is not measured. Memory is read every
2 ms in the round before the first, which is not timed. page.py makes a page of the results.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/t2nnef"
OTHERS_PYTHON = ROOT / "build/peers/bin/python"
PRESETS = ("int8", "int8-weights", "q4_0", "f16")
FEWER_ROUNDS = 3  # of large models, and of other exporters
ENGINE_TURNS = 3


def pnnx(file, about, folder):
    """The command; it writes all of its files where it is told to."""
    (binary,) = OTHERS_PYTHON.parents[1].glob("lib/python3*/site-packages/pnnx/pnnx")
    shapes = ",".join(f"[{text.split(':')[1]}]{text.split(':')[0]}" for text in about["inputs"])
    outputs = {"pnnxparam": "a.param", "pnnxbin": "a.bin", "pnnxpy": "a.py", "pnnxonnx": "a.onnx",
               "ncnnparam": "b.param", "ncnnbin": "b.bin", "ncnnpy": "b.py"}
    return [binary, file, f"inputshape={shapes}", *(f"{key}={folder}/out/{name}" for key, name in outputs.items())]


def exports(file, about, folder):
    """Commands by name; each writes `out` in the folder, with a suffix or without."""
    def ours(*options, out="out", target="tract"):
        return [PROGRAM, "export", file, *samples, "-t", target, "-o", folder / out, *options]

    samples = [word for text in about["inputs"] if about["is_scripted"]
               for word in ("-i", f"x={text.split(':')[1]},{text.split(':')[0]}")]
    dynamic = [word for axis in about["dynamic"] for word in ("--dynamic", axis)]
    out = {"floor": [ROOT / "build/t2n_floor", file, folder / "out", *about["inputs"]],
           "cp": ["cp", file, folder / "out"],
           "folder": ours(),
           ".tar": ours(out="out.nnef.tar"),
           ".tgz": ours(out="out.nnef.tgz"),
           "folder, dynamic axes": ours(*dynamic)}
    if about["is_large"]:
        return out
    out |= {"folder, --check": ours("--check"), "folder, strict": ours(target="khronos")}
    calibration = ("--calibrate", f"@{file.parent / 'calibration.npz'}")
    out |= {f"folder, --compress {preset}": ours("--compress", preset, *(calibration if preset == "int8" else ()))
            for preset in PRESETS}
    if "torch_to_nnef" in about["others"] and OTHERS_PYTHON.exists():
        peer = [OTHERS_PYTHON, ROOT / "bench/peer.py", file.parent]
        out |= {"torch_to_nnef, folder": [*peer, folder / "out"], "torch_to_nnef, .tgz": [*peer, folder / "out.nnef.tgz"]}
    if "pnnx" in about["others"] and OTHERS_PYTHON.exists():
        out["pnnx, folder"] = pnnx(file, about, folder)
    return out


def commands(file, ours):
    """What else the program is asked for, by name; `ours` is an exported folder."""
    return {"check": [PROGRAM, "check", file, ours], "inspect": [PROGRAM, "inspect", file],
            "inspect, artefact": [PROGRAM, "inspect", ours], "diff": [PROGRAM, "diff", ours, ours],
            "ops": [PROGRAM, "ops", file], "--help": [PROGRAM, "--help"]}


def resident(process):
    """Anonymous and file-backed bytes of a process and all below it."""
    anonymous = mapped = 0
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                anonymous += 1024 * int(line.split()[1])
            elif line.startswith("RssFile:"):
                mapped += 1024 * int(line.split()[1])
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                below = resident(child)
                anonymous, mapped = anonymous + below[0], mapped + below[1]
    except OSError:  # has ended
        pass
    return anonymous, mapped


def run(command, watches=False):
    """What a run took; None where it fails."""
    peak = [0, 0]
    start = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def watch():
        while child.returncode is None:
            peak[:] = map(max, peak, resident(child.pid))
            time.sleep(0.002)

    if watches:
        threading.Thread(target=watch, daemon=True).start()
    said = child.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = status
    if status != 0:
        print(f"{' '.join(map(str, command))} failed: {said[-300:]}", file=sys.stderr)
        return None
    return {"wall": wall, "processor": used.ru_utime + used.ru_stime, "anonymous": peak[0], "mapped": peak[1]}


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(file, about, rounds, place):
    """By name, the runs, the peaks of memory and the bytes written; the commands after the exports."""
    found = {}
    kept = place / "kept"
    run(exports(file, about, place)["folder"])
    shutil.move(place / "out", kept)
    ways = {**exports(file, about, place), **({} if about["is_large"] else commands(file, kept))}
    for number in range(rounds + 1):
        for name, command in ways.items():
            is_slow = name.startswith(("torch_to_nnef", "pnnx"))
            if number > FEWER_ROUNDS and is_slow or found.get(name, 0) is None:
                continue
            folder = place / "turn"
            folder.mkdir()
            if is_slow:
                (folder / "out").mkdir()
            result = run([str(word).replace(f"{place}/out", f"{folder}/out") for word in command], watches=number == 0)
            if result is None:
                found[name] = None
            elif number == 0:  # it also warms the file cache
                found[name] = {key: result[key] for key in ("anonymous", "mapped")} | {"bytes": size(folder), "runs": []}
            else:
                found[name]["runs"].append([result["wall"], result["processor"]])
            shutil.rmtree(folder)
    return found


def engine_times(about, file, place):
    """Medians of load and run in tract of our artefact divided by those of torch_to_nnef's, which run in turns."""
    ways = exports(file, about, place)
    if "torch_to_nnef, folder" not in ways:
        return None
    theirs = place / "theirs"
    if run(ways["folder"]) is None:
        return None
    shutil.move(place / "out", place / "ours")
    if run([*ways["torch_to_nnef, folder"][:-1], theirs]) is None:
        return None
    child = subprocess.run([PROGRAM, "bench", place / "ours", theirs, "--top", "0", "--json"], capture_output=True, text=True)
    if child.returncode != 0:
        print(f"bench failed: {child.stderr[-500:]}", file=sys.stderr)
        return None
    one, other = json.loads(child.stdout)["artifacts"]
    return {step: one[f"{step}_seconds"]["median"] / other[f"{step}_seconds"]["median"] for step in ("load", "run")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, default=ROOT / "build/bench/speed.json")
    options = parser.parse_intermixed_args()
    memory = Path("/dev/shm")
    found = json.loads(options.results.read_text()) if options.results.exists() else {}
    files = {file.parent.name: file for file in sorted(options.folder.glob("*/model.pt"))}
    for name in options.names or files:
        file = files[name]
        about = json.loads((file.parent / "about.json").read_text())
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
            print(f"measuring {name}", file=sys.stderr, flush=True)
            ways = measure(file, about, min(options.rounds, FEWER_ROUNDS) if about["is_large"] else options.rounds, Path(place))
            engine = None if about["is_large"] else engine_times(about, file, Path(place))
        found[name] = {"says": about["says"], "bytes": file.stat().st_size, "ways": ways, "engine": engine}
        options.results.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
