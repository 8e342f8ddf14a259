# SPDX-License-Identifier: Apache-2.0
"""Models of integers: torchvision's quantisable ones, calibrated on noise and converted by torch."""

from functools import partial

import torch
import torch.ao.quantization as quantization
from torch.ao.quantization import quantize_fx
from torch.nn.modules.batchnorm import _BatchNorm

from common import Entry, torchvision

# What the observers are set to; "per tensor" has one scale for all channels of a weight. The files
# run in LibTorch's default engine, whichever it is.
SETTINGS = {"per channel": "x86", "per tensor": "qnnpack"}


def noise(size):
    return torch.randn(2, 3, size, size)


def with_statistics(model, size):
    """Gives every batch norm the statistics of noise instead of mean 0, variance 1."""
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    for norm in norms:
        norm.train().reset_running_stats()
        norm.momentum = None  # a cumulative average
    for _ in range(2):
        model(noise(size))
    return model.eval()


def calibrated(model, size):
    for _ in range(2):
        model(noise(size))
    return model


def float_model(name):
    """Without the heads for training, which scripted files would return."""
    heads = {"aux_logits": False} if name == "inception_v3" else {}
    return torchvision.models.get_model(name, weights=None, **heads).eval()


def eager(name, settings, size):
    """Modules with stubs, converted in place."""
    model = with_statistics(getattr(torchvision.models.quantization, name)(weights=None, quantize=False).eval(), size)
    model.fuse_model()
    model.qconfig = quantization.get_default_qconfig(SETTINGS[settings])
    quantization.prepare(model, inplace=True)
    return quantization.convert(calibrated(model, size))


def graph(name, settings, size):
    """A graph of torch.fx."""
    model = with_statistics(float_model(name), size)
    mapping = quantization.get_default_qconfig_mapping(SETTINGS[settings])
    prepared = quantize_fx.prepare_fx(model, mapping, (noise(size),))
    return quantize_fx.convert_fx(calibrated(prepared, size))


def converted(how, name, settings, size=96):
    parameters = sum(p.numel() for p in float_model(name).parameters())
    with torch.no_grad():
        model = how(name, settings, size)
    return Entry(model, (noise(size),), published=False, parameters=parameters)


QUANTISED = {
    "int8_resnet18": partial(converted, eager, "resnet18", "per channel"),
    "int8_resnet18_fx": partial(converted, graph, "resnet18", "per channel"),
    "int8_resnet18_per_tensor": partial(converted, graph, "resnet18", "per tensor"),
    "int8_mobilenet_v2": partial(converted, eager, "mobilenet_v2", "per channel"),
    "int8_mobilenet_v2_fx": partial(converted, graph, "mobilenet_v2", "per channel"),
    "int8_mobilenet_v3_large": partial(converted, eager, "mobilenet_v3_large", "per channel"),
    "int8_mobilenet_v3_large_fx": partial(converted, graph, "mobilenet_v3_large", "per channel"),
    "int8_inception_v3_fx": partial(converted, graph, "inception_v3", "per channel", 128),
    "int8_shufflenet_v2": partial(converted, eager, "shufflenet_v2_x1_0", "per channel"),
    "int8_shufflenet_v2_fx": partial(converted, graph, "shufflenet_v2_x1_0", "per channel"),
    "int8_shufflenet_v2_per_tensor": partial(converted, eager, "shufflenet_v2_x1_0", "per tensor"),
}
