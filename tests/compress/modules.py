"""The trained fixtures as Python modules, for tools that take no TorchScript."""

import sys

import torch
from torch import nn

import judged

sys.path.append(str(judged.FIXTURES))
sys.path.append(str(judged.FIXTURES / "char_lm"))


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class DigitsCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            block(1, 16), nn.MaxPool2d(2), block(16, 32), nn.AdaptiveAvgPool2d(2)
        )
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(128, 10)

    def forward(self, x):
        return self.classifier(self.dropout(self.features(x).flatten(1)))


class SeriesGru(nn.Module):
    def __init__(self, characters=54, width=24, hidden=96):
        super().__init__()
        self.embed = nn.Embedding(characters, width)
        self.gru = nn.GRU(width, hidden, batch_first=True)
        self.head = nn.Linear(hidden, characters)

    def forward(self, x):
        states, _ = self.gru(self.embed(x))
        return self.head(states)


def char_lm():
    import make  # of fixtures/char_lm

    return make.CharLm()


MAKE = {"digits_cnn": DigitsCnn, "series_gru": SeriesGru, "char_lm": char_lm}


def loaded(model):
    """The module with the weights of the fixture; the file's answers prove that it is the same one."""
    file = torch.jit.load(str(model.model)).eval()
    module = MAKE[model.name]().eval()
    module.load_state_dict(file.state_dict())
    sample = torch.from_numpy(model.arrays("input")[model.argument])
    with torch.no_grad():
        torch.testing.assert_close(module(sample), file(sample), rtol=1e-4, atol=1e-5)
    return module
