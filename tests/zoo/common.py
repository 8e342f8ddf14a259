# SPDX-License-Identifier: Apache-2.0
"""What the files of the zoo share: an entry of the table, common inputs and the libraries."""

from typing import NamedTuple

import torch
from torch import nn

TRACED = ("traced",)
BOTH = ("traced", "scripted")
ATTENTIONS = ("eager", "sdpa")  # traced twice: attention spelt out, and the fused operator
WORDS = 500  # the vocabulary of models that are not at their published size

library_impl = torch.library.Library.impl


def impl_if_known(self, *args, **kwargs):
    """Lets torchvision be imported where its compiled operators are missing: we use none."""
    try:
        return library_impl(self, *args, **kwargs)
    except RuntimeError as error:
        if "does not exist" not in str(error):
            raise


torch.library.Library.impl = impl_if_known
import timm  # noqa: E402
import torchvision  # noqa: E402
import transformers as hf  # noqa: E402, F401

hf.logging.set_verbosity_error()


class Entry(NamedTuple):
    model: nn.Module
    inputs: tuple
    ways: tuple = BOTH
    published: bool = True  # the size of the paper or of published weights, vocabulary included
    parameters: int = 0  # of the float model, where this one is quantised: then it stays as it is


def image(size=224):
    return (torch.randn(1, 3, size, size),)


def video(frames=16, size=112):
    return (torch.randn(1, 3, frames, size, size),)


def tokens(batch=2, length=12, words=WORDS):
    return torch.randint(1, words, (batch, length))


class Key(nn.Module):
    """One tensor of a model that returns a dictionary."""

    def __init__(self, model, key):
        super().__init__()
        self.model = model
        self.key = key

    def forward(self, x):
        return self.model(x)[self.key]


class Last(nn.Module):
    """The last tensor of a model that returns a list."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, first, second):
        return self.model(first, second)[-1]


def from_torchvision(name, inputs=image, **options):
    return Entry(torchvision.models.get_model(name, weights=None, **options), inputs())


def segmentation(name):
    model = torchvision.models.get_model(name, weights=None, weights_backbone=None)
    return Entry(Key(model, "out"), image())


def optical_flow():
    model = torchvision.models.get_model("raft_small", weights=None)
    return Entry(Last(model), (torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128)))


def from_timm(name):
    model = timm.create_model(name, pretrained=False, scriptable=True)
    size = model.default_cfg["input_size"]
    return Entry(model, (torch.randn(1, *size),))
