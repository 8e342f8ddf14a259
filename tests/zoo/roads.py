# SPDX-License-Identifier: Apache-2.0
"""The roads of real use: models whose sizes follow from values, lengths, edges, pieces and caches.

    roads.py [NAME ...] [--program build/t2nnef] [--markdown docs/zoo_roads.md]

Each model is built, saved, exported with --check, and its file run in tract at inputs that differ from the sample in
routing, length, number of edges, or pieces. What the file gives is compared with what the module itself gives in
Python. An export that ends with an error is a refusal, a file that the engine stops at other inputs fails, and a
result that differs is wrong.
"""

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/pages"), str(ROOT / "tests/values"), str(ROOT / "tests/streaming")]
import stamp  # noqa: E402
from caches import CACHES  # noqa: E402
from clouds import CLOUDS  # noqa: E402
from compare import flat, saved  # noqa: E402
from detectors import DETECTORS  # noqa: E402
from graphs import GRAPHS  # noqa: E402
from keywords import KEYWORDS  # noqa: E402
from road import Called, Streamed  # noqa: E402
from routed import ROUTED  # noqa: E402
from sequences import SEQUENCES  # noqa: E402
from streams import STREAMS  # noqa: E402
import totals  # noqa: E402

KINDS = {
    "graph network": GRAPHS,
    "mixture of experts": ROUTED,
    "detection": DETECTORS,
    "point cloud": CLOUDS,
    "packed and padded sequences": SEQUENCES,
    "keyword spotter": KEYWORDS,
    "streaming": STREAMS,
    "cached decoder": CACHES,
}
MOVED = 40  # tolerances by which an output has to differ between runs, or a file of constants would pass

PAGE = """# Models with data-dependent sizes, streams and caches

Small models with random weights whose sizes depend on values, lengths, edges, pieces and caches. Each is exported to
tract with `--check`. Its file then runs in that engine on inputs that differ from the sample in routing, length, number
of edges or pieces, and the results are compared with those of the module itself in Python. *Refused*: the export ended
with an error, and wrote nothing; *fails*: the engine stopped; *wrong*: a result differed.
Made by `tests/zoo/roads.py`.

**{summary}**

{failures}| kind | model | saved | exported with | tested in addition to the sample | verdict |
|---|---|---|---|---|---|
{table}"""


class Refused(Exception):
    """What an export said."""


def called(program, *arguments):
    run = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        errors = [line for line in run.stderr.splitlines() if "error" in line]
        said = (errors or run.stderr.splitlines() or ["nothing said"])[0].strip()
        raise Refused(said) if arguments[0] == "export" else RuntimeError(f"exit {run.returncode}: {said}")


def bound(want):
    """How far results may be apart: a few roundings of the largest, some more of each."""
    most = np.abs(want[np.isfinite(want)]).max(initial=0) if want.dtype.kind == "f" else 0
    return 1e-4 * min(1.0, most) + 1e-5 * most + 5e-4 * np.abs(want)


def difference(want, got):
    """What differs between two lists of arrays, or ""."""
    if len(got) != len(want):
        return f"{len(got)} outputs for {len(want)}"
    for i, (a, b) in enumerate(zip(want, got)):
        if a.shape != b.shape:
            return f"output {i} is {b.shape}, not {a.shape}"
        if a.dtype.kind != "f":
            if not np.array_equal(a, b):
                return f"output {i} differs in {np.count_nonzero(a != b)} of {a.size} places"
        elif not (np.abs(a - b) <= bound(a)).all():
            return f"output {i} is off by {np.abs(a - b).max():.3g}, where values go up to {np.abs(a).max():.3g}"
    return ""


def moved(results):
    """Whether each output differs between runs, in shape or by many tolerances."""
    def differs(a, b):
        return a.shape != b.shape or (a.dtype.kind != "f" and (a != b).any()) or bool(
            a.dtype.kind == "f" and (np.abs(a - b) > MOVED * bound(a)).any())

    return all(any(differs(results[0][i], other[i]) for other in results[1:]) for i in range(len(results[0])))


def ran(program, folder, artefact, inputs):
    """What the file gives."""
    out = folder / "out.npz"
    called(program, "run", artefact, "-i", saved(folder, "inputs.npz", inputs), "-o", out)
    with np.load(out) as arrays:
        return [arrays[name] for name in arrays.files]


def of_module(module, inputs):
    with torch.no_grad():
        return flat(module(*(each.clone() for each in inputs)))


def export(program, folder, model, sample, options):
    torch.jit.save(model, folder / "model.pt")
    artefact = folder / "model.nnef.tgz"
    given = saved(folder, "inputs.npz", sample)
    called(program, "export", folder / "model.pt", "-t", "tract", "-i", given, "-o", artefact, "--check", "--engine", "tract",
           *options)
    return artefact


def check_runs(program, folder, model, road):
    artefact = export(program, folder, model, road.runs[0], road.options)
    results = [of_module(road.module, inputs) for inputs in road.runs]
    assert moved(results), "an output is the same in all runs"
    for i, (inputs, want) in enumerate(zip(road.runs, results)):
        if found := difference(want, ran(program, folder, artefact, inputs)):
            return f"run {i}: {found}"
    return ""


def check_calls(program, folder, model, road):
    artefact = export(program, folder, model, (*road.calls[0][0], *road.sample), road.options)
    for i, calls in enumerate(road.calls):
        theirs = ours = [each.numpy() for each in road.states]
        for k, inputs in enumerate(calls):
            want = of_module(road.module, [*inputs, *map(torch.from_numpy, theirs)])
            got = ran(program, folder, artefact, [*inputs, *map(torch.from_numpy, ours)])
            if found := difference(want, got):
                return f"sequence {i}, call {k}: {found}"
            theirs, ours = want[-len(theirs):], got[-len(ours):]
    return ""


def streaming_worker():
    """The driver of tests/streaming, in a process of its own; its run.py has the name of another here."""
    spec = importlib.util.spec_from_file_location("streaming_run", ROOT / "tests/streaming/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Worker()


def check_stream(program, folder, model, road):
    artefact = export(program, folder, model, road.inputs(24 * road.multiple), [*road.options, "--stream", "S"])
    given = road.inputs(150 * road.multiple)
    arrays = {f"i{k}": each.numpy() for k, each in enumerate(given)}
    arrays |= {f"o{k}": each for k, each in enumerate(of_module(road.module, given))}
    np.savez(folder / "arrays.npz", **arrays)
    worker = streaming_worker()
    for pulse in road.pulses:
        request = {"path": str(artefact), "symbol": "S", "pulse": pulse * road.multiple, "arrays": str(folder / "arrays.npz")}
        said = worker.ask(request)
        if found := said.get("refused") or said["difference"]:
            return f"pulses of {pulse * road.multiple}: {found}"
    return ""


def sample_of(road):
    if isinstance(road, Streamed):
        return road.inputs(24 * road.multiple)
    return (*road.calls[0][0], *road.sample) if isinstance(road, Called) else road.runs[0]


def saved_model(road, way):
    if way == "scripted":
        return torch.jit.script(road.module)
    return torch.jit.trace(road.module, sample_of(road), check_trace=False)


def verdict(program, road, way):
    """"right", or what is refused, failed or was wrong."""
    check = check_stream if isinstance(road, Streamed) else check_calls if isinstance(road, Called) else check_runs
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        try:
            found = check(program, Path(folder), saved_model(road, way), road)
        except Refused as refusal:
            return f"refused: {refusal}"
        except RuntimeError as error:
            return f"fails: {str(error).splitlines()[0]}"
    return f"wrong: {found}" if found else "right"


def tried(road):
    if isinstance(road, Streamed):
        return "pulses of " + ", ".join(str(each * road.multiple) for each in road.pulses)
    return road.varied


def options_of(road):
    words = list(road.options) + (["--stream", "S"] if isinstance(road, Streamed) else [])
    return "`" + " ".join(words) + "`" if words else "one size"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--program", default=ROOT / "build/t2nnef")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    options = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    made_at, rows, failures, models = stamp.line(), [], [], Counter()
    for kind, table in KINDS.items():
        for name, make in table.items():
            if options.names and name not in options.names:
                continue
            torch.manual_seed(1)
            road = make()
            road.module.eval()
            said = {way: verdict(options.program, road, way) for way in road.ways}
            for way, text in said.items():
                print(f"{kind}: {name} ({way}): {text}", flush=True)
                if text != "right":
                    failures.append(f"- {name} ({way}): `{text}`")
            models["right" if all(text == "right" for text in said.values()) else "not right"] += 1
            short = ", ".join(dict.fromkeys(text.split(":")[0] for text in said.values()))
            rows.append(f"| {kind} | {name} | {', '.join(said)} | {options_of(road)} | {tried(road)} | {short} |")
    summary = f"{models['right']} of {sum(models.values())} models right"
    print(summary)
    if options.markdown:
        listed = "Not right:\n\n" + "\n".join(failures) + "\n\n" if failures else ""
        page = PAGE.format(summary=summary, failures=listed, table="\n".join(rows) + "\n")
        page = totals.inserted(options.markdown.stem, page)
        options.markdown.write_text(stamp.stamped(page, made_at))
    return 1 if any("wrong" in each for each in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
