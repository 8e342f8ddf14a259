# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from shutil import which


class Report(dict):
    """The program's JSON report; keys are attributes, too: `report.files`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Error(RuntimeError):
    """What the program said when it did not succeed.

    exit_code: see docs/diagnostics.md; id: of the error that ended it ("unsupported-op"); report: as far as it came.
    """

    def __init__(self, text, exit_code, report):
        super().__init__(text)
        self.exit_code = exit_code
        self.report = report
        errors = [each for each in report.get("diagnostics", []) if each.get("severity", "error") == "error"]
        self.id = errors[-1].get("id") if errors else None


def program():
    """The path of the program: beside this Python's scripts, else on PATH."""
    own = Path(sysconfig.get_path("scripts")) / "t2nnef"
    found = str(own) if own.exists() else which("t2nnef")
    if not found:
        raise FileNotFoundError("the program t2nnef is neither among this Python's scripts nor on PATH")
    return found


def version():
    """The version of the program."""
    text = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    return text.split()[1]


def _words(options):
    for name, value in options.items():
        option = ("-" if len(name) == 1 else "--") + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                yield option
            elif each is not None and each is not False:
                yield f"{option}={each}" if option.startswith("--") else f"{option}{each}"


def _run(command, files, options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        words = [program(), command, *map(os.fspath, files), *_words(options), f"--report={path}"]
        done = subprocess.run(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace")
        report = Report(json.loads(path.read_text()) if path.exists() else {})
    if done.returncode:
        raise Error(done.stderr.strip() or f"t2nnef ended with {done.returncode}", done.returncode, report)
    return report


def _traced(module, samples):
    import torch

    was_training = module.training
    try:
        return torch.jit.trace(module.eval(), samples, check_trace=False)
    finally:
        module.train(was_training)


def _saved(model, samples, folder):
    """The file of a model in memory."""
    import torch

    if isinstance(model, torch.export.ExportedProgram):
        path = Path(folder) / "module.pt2"
        torch.export.save(model, path)
        return path
    path = Path(folder) / "module.pt"
    if not isinstance(model, torch.jit.ScriptModule):
        if samples is None:
            raise TypeError("a module is traced: give samples, a tuple of its arguments, or pass torch.jit.script(module)")
        model = _traced(model, samples)
    torch.jit.save(model, path)
    return path


def export(model, samples=None, **options):
    """Writes a model as NNEF.

    model: the path of a TorchScript or .pt2 file, a `torch.export.ExportedProgram`, a `torch.jit.ScriptModule`, or a
    `torch.nn.Module`, which is traced with `samples`, a tuple of its arguments. Without `output` the artefact is written
    as the program does: beside the model's name, `module.nnef.tgz` for a model in memory.
    """
    if isinstance(model, (str, os.PathLike)):
        if samples is not None:
            raise TypeError("samples are for modules; a file takes input=[…]")
        return _run("export", [model], options)
    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = _saved(model, samples, folder)
        options.setdefault("output", "module.nnef.tgz")
        options["output"] = os.path.abspath(options["output"])
        if samples is not None and options.get("input"):
            raise TypeError("give either samples or input=[…]")
        if samples is not None:
            torch.save(tuple(samples), Path(folder) / "samples.pt")
            options["input"] = f"@{folder}/samples.pt"
        return _run("export", [path], options)


def check(model, artefact, **options):
    """Compares an artefact with the model it was exported from."""
    return _run("check", [model, artefact], options)
