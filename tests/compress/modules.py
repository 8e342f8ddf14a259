# SPDX-License-Identifier: Apache-2.0
"""The trained fixtures as Python modules, for tools that take no TorchScript."""

import ast
import sys

import torch
from torch import nn

import judged

sys.path.append(str(judged.FIXTURES))
sys.path.append(str(judged.FIXTURES / "char_lm"))


def definitions(folder):
    """The classes and functions of a fixture's make.py, by name. Importing it would train the model."""
    file = judged.FIXTURES / folder / "make.py"
    tree = ast.parse(file.read_text())
    tree.body = [each for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))]
    names = {"torch": torch, "nn": nn}
    exec(compile(tree, str(file), "exec"), names)
    return names


def digits_cnn():
    return definitions("digits_cnn")["DigitsCnn"]()


def series_gru():
    return definitions("series_gru")["CharGru"](characters=54)


def char_lm():
    import make  # of fixtures/char_lm

    return make.CharLm()


MAKE = {"digits_cnn": digits_cnn, "series_gru": series_gru, "char_lm": char_lm}


def loaded(model):
    """The module with the weights of the fixture; the file's answers prove that it is the same one."""
    file = torch.jit.load(str(model.model)).eval()
    module = MAKE[model.name]().eval()
    module.load_state_dict(file.state_dict())
    sample = torch.from_numpy(model.arrays("input")[model.argument])
    with torch.no_grad():
        torch.testing.assert_close(module(sample), file(sample), rtol=1e-4, atol=1e-5)
    return module
