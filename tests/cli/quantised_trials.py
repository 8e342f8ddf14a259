"""Models with quantisers and settings of their own, for the command-line tests; other_models.write_all() writes them."""

import numpy
import torch
from torch import nn


def traced_settings(path):
    """Compression settings as a buffer of bytes, the only attribute that a trace keeps."""
    model = nn.Sequential(nn.Linear(64, 64))
    text = b'{"weights": {"bits": 8}}'
    model[0].register_buffer("quant_params", torch.tensor(list(text), dtype=torch.uint8))
    torch.jit.trace(model.eval(), torch.randn(1, 64)).save(path)


class Saturates(nn.Module):
    """Its own quantiser reaches from 0 to 0.255."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(torch.fake_quantize_per_tensor_affine(x, 0.001, 0, 0, 255))


class InTraining(nn.Module):
    """Quantisers fused with observers, as quantisation-aware training has them before convert."""

    def __init__(self):
        super().__init__()
        import torch.ao.quantization as tq

        self.before = tq.default_fused_act_fake_quant()
        self.linear = nn.Linear(8, 8)
        self.after = tq.default_fused_act_fake_quant()

    def forward(self, x):
        return self.after(self.linear(self.before(x)))


def write_all(folder):
    torch.manual_seed(7)
    traced_settings(folder / "traced_settings.pt")
    sample = torch.rand(4, 8)
    torch.jit.trace(Saturates().eval(), sample).save(folder / "saturates.pt")
    numpy.savez(folder / "saturates.npz", x=torch.rand(64, 8).numpy())
    model = InTraining()
    model(sample)
    for module in (model.before, model.after):
        module.disable_observer()
    torch.jit.trace(model.eval(), sample).save(folder / "in_training.pt")
# SPDX-License-Identifier: Apache-2.0
