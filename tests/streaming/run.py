# SPDX-License-Identifier: Apache-2.0
"""Models and expressions in tract's pulses against torch on the whole input, by a driver of its own.

    run.py --program build/t2nnef [--quick] [--only PATTERN] [--markdown FILE]

Each is exported with --stream, without a check, and fed piece by piece, in pieces of several sizes. What is not exact
has to be refused, for the reason that is written beside it.
"""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fork_server")]
import fork_server  # noqa: E402
from expressions import CASES, LOOPS  # noqa: E402
from models import MODELS  # noqa: E402

QUICK = 12  # of the expressions, one of so many, and these; of the models every second
QUICK_TOO = {"group3_dly", "group3_valid", "pad_repl5"}


class Worker:
    """pulses.py, started again where the engine ended it."""

    def __init__(self):
        self.process = None

    def ask(self, request):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, HERE / "pulses.py"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        return {"refused": "the engine crashed"}


class Case:
    def __init__(self, name, module, shapes, unit, axes, refused, integers=0):
        self.name, self.module, self.shapes, self.unit, self.refused = name, module.eval(), shapes, unit, refused
        self.integers = integers
        names = [argument.name for argument in torch.jit.script(module).forward.schema.arguments[1:]]
        self.axes = axes or [f"{names[k]}:{shape.index(-1)}=S" for k, shape in enumerate(shapes) if -1 in shape]
        factor = re.search(r"=(\d+)\*S", self.axes[0])
        self.multiple = max(self.unit // (int(factor.group(1)) if factor else 1), 1)

    def inputs(self, length):
        out = []
        for shape in self.shapes:
            if shape == ["length"] or shape == ["lengths"]:
                out.append(torch.tensor(length * 2 // 3) if shape == ["length"] else torch.tensor([length * 2 // 3, 5]))
                continue
            sizes = [length if size == -1 else 2 * length if size == -2 else size for size in shape]
            out.append(torch.randint(0, self.integers, sizes) if self.integers else torch.randn(sizes))
        return out

    def pulses(self):
        """The least, and two that the sample did not have."""
        return [self.multiple * n for n in ((1, 3, 7) if self.unit < 10 else (2, 3))]


def compiled(folder, name, source):
    path = Path(folder) / f"{name}.py"
    path.write_text("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n" + source)
    spec = importlib.util.spec_from_file_location(f"streamed_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Model()


def class_text(init, arguments, body):
    parts = "\n".join(f"        {part.strip()}" for part in init.split(";") if part.strip())
    return (f"class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n{parts}\n"
            f"    def forward(self, {arguments}):\n{body}\n")


def cases(folder, quick, only):
    for number, (name, (kind, shape, unit, refused, integers)) in enumerate(MODELS.items()):
        if re.search(only, name) and not (quick and number % 2):
            torch.manual_seed(1)
            yield Case(name, kind(), [shape], unit, [], refused, integers)
    for number, (name, text, init, shapes, unit, axes, refused) in enumerate(CASES):
        if re.search(only, name) and not (quick and number % QUICK and name not in QUICK_TOO):
            torch.manual_seed(1)
            arguments = ", ".join("xy"[k] for k in range(len(shapes)))
            source = class_text(init, arguments, f"        return {text}")
            yield Case(name, compiled(folder, f"case{number}", source), shapes, unit, axes, refused)
    for number, (name, body, init, before, result, shape, refused) in enumerate(LOOPS):
        if re.search(only, name) and not (quick and number % QUICK):
            torch.manual_seed(1)
            lines = [f"        {part.strip()}" for part in before.split(";")]
            lines += ["        o = []", f"        for t in range(x.size({shape.index(-1)})):", f"            {body}",
                      "            o.append(h)", f"        return {result}"]
            yield Case(name, compiled(folder, f"loop{number}", class_text(init, "x", "\n".join(lines))), [shape], 1, [],
                       refused)


def export(program, folder, case):
    """The refusal, or "" for a file that was written."""
    torch.manual_seed(2)
    torch.jit.script(case.module).save(f"{folder}/model.pt")
    command = [program, "export", f"{folder}/model.pt", "-t", "tract", "-o", f"{folder}/out.tar", "-q", "--stream", "S"]
    for k, given in enumerate(case.inputs(48 if case.unit < 10 else 4 * case.unit)):
        np.save(f"{folder}/in{k}.npy", given.numpy())
        command += ["-i", f"input_{k}=@{folder}/in{k}.npy"]
    for axis in case.axes:
        command += ["--dynamic", axis]
    done = fork_server.run(command, timeout=120)
    if done.returncode == 0:
        return ""
    said = re.search(r"error\[[a-z-]+\]: .*(?:\n +also .*)*", done.stderr)
    return said.group(0) if said else f"exit {done.returncode}"


def said_of_pulses(folder):
    """What the file says its pulses are multiples of, and how long they are at the least."""
    with tarfile.open(f"{folder}/out.tar") as archive:
        graph = archive.extractfile("graph.nnef").read().decode()
    return [int(re.search(rf"'t2nnef_pulse_{word}', '(\d+)'", graph).group(1)) for word in ("multiple", "least")]


def judged(program, folder, worker, case):
    """What became of it, and whether that is right."""
    refusal = export(program, folder, case)
    if refusal or case.refused:
        is_right = bool(case.refused) and case.refused in refusal and "not-streamable" in refusal
        return ("refused: " + case.refused if is_right else f"WRONG: {refusal or 'not refused'}"), is_right
    multiple, least = said_of_pulses(folder)
    if multiple != case.multiple:
        return f"WRONG: the file wants multiples of {multiple}, not of {case.multiple}", False
    given = case.inputs((217 if case.unit < 10 else 18 * case.unit + 1) // case.unit * case.unit)
    with torch.no_grad():
        expected = case.module(*given)
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    arrays = {f"i{k}": each.numpy() for k, each in enumerate(given)}
    arrays |= {f"o{k}": each.numpy() for k, each in enumerate(expected)}
    np.savez(f"{folder}/arrays.npz", **arrays)
    delays = None
    for pulse in case.pulses():
        request = {"path": f"{folder}/out.tar", "symbol": "S", "pulse": pulse, "arrays": f"{folder}/arrays.npz"}
        said = worker.ask(request)
        if pulse < least and "pulse strictly bigger" in said.get("refused", ""):
            continue
        if said.get("refused") or said["difference"]:
            return f"WRONG in pulses of {pulse}: {said.get('refused') or said['difference']}", False
        delays = said["delays"]
    sizes = ", ".join(str(pulse) for pulse in case.pulses())
    return f"exact in pulses of {sizes}; delay {', '.join(map(str, delays or []))}", delays is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker()
        for case in cases(folder, options.quick, options.only):
            text, is_right = judged(options.program, folder, worker, case)
            rows.append((case.name, text))
            wrong += not is_right
            if not is_right or not options.quick:
                print(f"{case.name:24} {text}", flush=True)
    print(f"{len(rows)} models, {sum(text.startswith('exact') for _, text in rows)} exact, "
          f"{sum(text.startswith('refused') for _, text in rows)} refused as they should be, {wrong} wrong")
    if options.markdown:
        lines = [f"| {name} | {text} |" for name, text in rows if name in MODELS]
        Path(options.markdown).write_text("\n".join(["| model | in pulses |", "| --- | --- |", *lines]) + "\n")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
