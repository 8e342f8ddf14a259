# SPDX-License-Identifier: Apache-2.0
"""Runs the program t2nnef and returns its report.

    report = t2nnef.export("model.pt", target="tract", check=True)
    report = t2nnef.export(module, samples, target="tract", output="model.nnef.tgz")
    report = t2nnef.export(torch.export.export(module, samples), target="tract", output="model.nnef.tgz")

Options are those of the command line with `_` for `-`: `dynamic=["x:0=B"]` is `--dynamic x:0=B`, `True` gives the option
without a value, `None` and `False` leave it out, a list repeats it. What the program refuses is raised as `Error`.
"""

from ._run import Error, Report, check, export, program, version

__all__ = ["Error", "Report", "check", "export", "program", "version"]
