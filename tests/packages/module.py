# SPDX-License-Identifier: Apache-2.0
"""The Python module of an installed wheel: exports a file and a module, checks, and raises what is refused.

usage: module.py MODEL.pt
"""
import sys
from pathlib import Path

import t2nnef
import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.layer(x).relu()


class Unknown(torch.nn.Module):
    def forward(self, x):
        return torch.unique(x)


def agrees(report):
    verdicts = [each["verdict"] for each in report.check["outputs"]]
    return bool(verdicts) and set(verdicts) == {"ok"}


def main():
    model = sys.argv[1]
    report = t2nnef.export(model, target="tract", check=True, output="file.nnef.tgz")
    assert report.check["engine"].startswith("tract"), report.check["engine"]
    assert agrees(report) and Path("file.nnef.tgz").stat().st_size > 1000
    module = Scaled()
    t2nnef.export(module, (torch.randn(2, 4),), target="tract", check=True, dynamic=["input_0:0=B"])
    assert Path("module.nnef.tgz").exists() and module.training, "the module's mode is as it was"
    program = torch.export.export(module, (torch.randn(2, 4),), dynamic_shapes=({0: torch.export.Dim("B", min=1)},))
    report = t2nnef.export(program, target="tract", check=True, output="program.nnef.tgz", dynamic=["x:0=B"])
    assert agrees(report) and Path("program.nnef.tgz").exists()
    assert agrees(t2nnef.check(model, "file.nnef.tgz"))
    try:
        t2nnef.export(Unknown(), (torch.randn(5),), target="khronos")
    except t2nnef.Error as error:
        assert error.exit_code == 4 and error.id and error.id in str(error), (error.exit_code, error.id)
    else:
        sys.exit("an operator that strict NNEF lacks was exported")
    print(f"  the module of t2nnef {t2nnef.version()} exports, checks and refuses")


if __name__ == "__main__":
    main()
