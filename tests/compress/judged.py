# SPDX-License-Identifier: Apache-2.0
"""The trained fixtures of the table, and what each is judged by."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"


class Judged(NamedTuple):
    name: str  # the folder
    argument: str
    axes: dict  # symbols by axis
    timed: tuple  # shape of one timed call
    measure: str

    @property
    def model(self):
        return FIXTURES / self.name / "model.pt"

    def arrays(self, which):
        return np.load(FIXTURES / self.name / f"{which}.npz")


MODELS = [
    Judged("digits_cnn", "x", {0: "B"}, (64, 1, 8, 8), "accuracy"),
    Judged("series_gru", "x", {0: "B"}, (16, 48), "bits per character"),
    Judged("char_lm", "ids", {0: "B", 1: "S"}, (1, 128), "perplexity"),
]


def score(measure, logits, labels):
    """What logits [..., classes] are worth: right answers in per cent, or what the labels cost."""
    logits = logits.astype(np.float64).reshape(-1, logits.shape[-1])
    labels = labels.reshape(-1)
    if measure == "accuracy":
        return 100 * float((logits.argmax(-1) == labels).mean())
    top = logits.max(-1, keepdims=True)
    logits = logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))
    nats = -float(logits[np.arange(len(labels)), labels].mean())
    return float(nats / np.log(2) if measure == "bits per character" else np.exp(nats))


def loss(measure, value, f32):
    """What was lost against f32, as text: points of accuracy, parts of the others."""
    if measure == "accuracy":
        return f"{f32 - value:+.2f}"
    return f"{100 * (value / f32 - 1):+.2f} %"


def shown(measure, value):
    return f"{value:.2f} %" if measure == "accuracy" else f"{value:.3f}"
