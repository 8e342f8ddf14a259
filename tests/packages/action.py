# SPDX-License-Identifier: Apache-2.0
"""Runs the shell steps of action.yml as a runner does, with a wheel in the cache: an export, and one that is refused.

usage: action.py WHEEL MODEL.pt     needs a Python with PyYAML; `python` on PATH is a fresh environment
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
REFUSED = """import torch
class Unique(torch.nn.Module):
    def forward(self, x):
        return torch.unique(x)
torch.jit.trace(Unique(), torch.randn(5)).save("refused.pt")
"""


def context(action, inputs, temp):
    """{expression: value} of what the steps read."""
    values = {f"inputs.{name}": spec.get("default", "") for name, spec in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    return values | {"github.action_path": str(ROOT), "runner.temp": str(temp)}


def substituted(text, values):
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: values[match[1]], text)


def run_steps(action, inputs, folder):
    """(exit code of the last step that ran, what all printed)."""
    values, printed = context(action, inputs, folder), ""
    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        environment = dict(os.environ) | {name: substituted(text, values) for name, text in step["env"].items()}
        assert "${{" not in step["run"], "expressions in a script are code of whoever writes the inputs"
        # The options that the runner gives bash.
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                              env=environment, capture_output=True, text=True)
        printed += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, printed
    return 0, printed


def main():
    wheel, model = (Path(path).resolve() for path in sys.argv[1:])
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t2nnef-wheel").mkdir()
        shutil.copy(wheel, folder / "t2nnef-wheel")
        code, printed = run_steps(action, {"model": str(model), "output": "a b.nnef.tgz"}, folder)
        assert code == 0 and (folder / "a b.nnef.tgz").exists() and "check: tract" in printed, printed
        subprocess.run(["python", "-c", REFUSED], cwd=folder, check=True)
        code, printed = run_steps(action, {"model": "refused.pt", "target": "khronos"}, folder)
        assert code == 4, printed
        found = [line for line in printed.splitlines() if line.startswith("::error ") and "title=error[unsupported-op]" in line]
        assert found and "%0A" in found[0] and "aten::_unique2 has no translation" in found[0], printed
        print("  " + found[0][:100])


if __name__ == "__main__":
    main()
