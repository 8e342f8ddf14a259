# SPDX-License-Identifier: Apache-2.0
"""Plants faults in artefacts, and tests whether a check names the layer that each is in.

    run.py test                     a few faults, as ctest runs them: all must be found
    run.py all                      60 faults in five models, in each engine: at least 58 must be found
    run.py all --only dynamic state     of other models

A fault is found if the first tensor that the check names belongs to the module of the changed statement. A fault that
no output shows is no fault: another one takes its place.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import torch

import faults
import foreign
import models

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/fork_server"))
import fork_server  # noqa: E402
QUANTISED = ROOT / "fixtures/digits_qat/fx_int8.pt"
LEAST = 58  # of 60
WORDS = {"dynamic": ("--dynamic", "ids:0=B", "--dynamic", "ids:1=S", "--dynamic", "mask:0=B", "--dynamic", "mask:1=S"),
         "state": ("--state",)}


class Subject(NamedTuple):
    name: str
    model: Path
    inputs: Path
    artefact: Path
    modules: dict  # of each statement by its name: the modules that it may belong to
    masks: tuple = ()
    words: tuple = ()  # options of export and of check


def run(options, *words):
    return fork_server.run([options.program, *words], timeout=600)


def modules_of(name, paths):
    """The modules whose names begin a statement's, with the dots as underscores."""
    fitting = [path for path in paths if (name + "_").startswith(path.replace(".", "_") + "_")]
    longest = max(fitting, key=len, default="")
    # "layer1_0_relu" is an operation of layer1.0, or that of the module layer1.0.relu.
    return {longest} | ({longest.rpartition(".")[0]} if name == longest.replace(".", "_") else set())


def exported(options, name, model, inputs, folder):
    artefact, words = folder / name, WORDS.get(name, ())
    child = run(options, "export", model, "--target", "tract", "--input", f"@{inputs}", "-o", artefact, *words)
    if child.returncode != 0:
        sys.exit(f"{name}: {child.stderr}")
    paths = [path for path, _ in torch.jit.load(str(model)).named_modules() if path]
    readers, results = faults.readers_of(artefact), faults.results_of(artefact)
    modules = {}
    for fault in faults.faults_of(artefact):
        found = modules_of(fault.name, paths)
        if fault.label and found == {""}:  # a constant that is no parameter belongs to what reads it
            found = modules_of(readers.get(fault.name, fault.name), paths)
        if fault.name in results:  # outputs are not named by their modules
            found = found | modules_of(results[fault.name], paths)
        modules[fault.name] = found
    return Subject(name, model, inputs, artefact, modules,
                   ("mul",) if name in ("bert", "dynamic") else (), words)


def other_exporter(model, inputs, folder):
    artefact = folder / "other"
    modules = foreign.write(models.build("foreign")[0], artefact)
    # The norm of the first convolution may belong to it.
    same = {"bn1": {"bn1", "conv1"}, "conv2": {"conv2", "bn2"}}
    found = {name: same.get(module, {module}) for name, module in modules.items()}
    return Subject("foreign", model, inputs, artefact, found, ("t1",))


def subjects(options, folder, names):
    for name in names:
        if name == "quantised":
            yield exported(options, name, QUANTISED, QUANTISED.with_name("input.npz"), folder)
        elif name == "foreign":
            yield other_exporter(*models.make(name, folder), folder)
        else:
            yield exported(options, name, *models.make(name, folder), folder)


class Outcome(NamedTuple):
    fault: faults.Fault
    expected: set
    code: int
    found: str  # the module; None: nothing
    place: str
    text: str


def judged(options, subject, fault, engine):
    """None if no output shows the fault."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "model"
        shutil.copytree(subject.artefact, copy)
        faults.plant(copy, fault)
        child = run(options, "check", subject.model, copy, "--input", f"@{subject.inputs}", "--engine", engine, "--json",
                    *subject.words)
    if child.returncode == 0 or "output-mismatch" not in child.stderr:
        return None
    first = json.loads(child.stdout)["check"].get("localisation", {}).get("first", [])
    found = first[0]["where"]["module"] if first else None
    place = f"{first[0]['tensor']}:{first[0]['line']}" if first else "nothing"
    return Outcome(fault, subject.modules[fault.name], child.returncode, found, place, child.stderr)


def drawn(subject, seed):
    """All faults, one of each kind first, then at random: each statement once."""
    known = faults.faults_of(subject.artefact, subject.masks)
    random.Random(seed).shuffle(known)
    kinds, rest, seen = [], [], set()
    for fault in known:
        is_new = fault.kind not in {each.kind for each in kinds}
        (kinds if is_new else rest).append(fault)
    for fault in kinds + rest:
        if fault.line not in seen:
            seen.add(fault.line)
            yield fault


def outcomes(options, subject, engine, count):
    out = []
    for fault in drawn(subject, options.seed):
        if len(out) == count:
            break
        outcome = judged(options, subject, fault, engine)
        if outcome:
            out.append(outcome)
            is_found = outcome.found in outcome.expected
            if not is_found or options.verbose:
                print(f"{'found' if is_found else 'MISSED'} {subject.name} in {engine}: {fault.kind} of {fault.name}: "
                      f"{' or '.join(sorted(outcome.expected)) or 'the model'}; named: {outcome.found!r} {outcome.place}",
                      flush=True)
            if not is_found and options.verbose:
                print(outcome.text, flush=True)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["test", "all"])
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--only", nargs="*", default=["resnet18", "bert", "gru", "quantised", "foreign"])
    parser.add_argument("--engines", nargs="*", default=["tract", "reference"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=12, help="faults in each model")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.mode == "test":
        options.only, options.count = ["gru", "quantised", "foreign"], 2
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        all_subjects = list(subjects(options, Path(folder), options.only))
        for engine in options.engines:
            found = total = 0
            for subject in all_subjects:
                results = outcomes(options, subject, engine, options.count)
                found += sum(each.found in each.expected for each in results)
                total += len(results)
                if len(results) < options.count:
                    print(f"{subject.name} in {engine}: only {len(results)} faults show in outputs")
            print(f"{engine}: {found} of {total} faults located to their layer", flush=True)
            failed |= total < options.count * len(all_subjects) or found < total * LEAST / 60
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
