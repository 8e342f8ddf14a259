# SPDX-License-Identifier: Apache-2.0
"""An exporter with forms, names and an order of its own, for the model `foreign` of models.py.

    write(model, inputs, folder)     writes an artefact, and returns the module of each statement by its name
"""

import struct
from pathlib import Path

import numpy
import torch


def write_dat(path, array):
    """A tensor file of NNEF: 128 bytes of header, then f32."""
    array = numpy.ascontiguousarray(array, dtype="<f4")
    extents = list(array.shape) + [0] * (8 - array.ndim)
    header = struct.pack("<2sBBII8III", b"N\xef", 1, 0, array.nbytes, array.ndim, *extents, 32, 0)
    path.write_bytes(header.ljust(128, b"\0") + array.tobytes())


class Writer:
    def __init__(self, folder):
        self.folder, self.lines, self.modules, self.module = Path(folder), [], {}, ""
        self.folder.mkdir(parents=True)

    def name(self):
        return f"t{len(self.modules)}"

    def emit(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text};")
        self.modules[name] = self.module
        return name

    def weight(self, array):
        label = f"w{len(self.modules)}"
        write_dat(self.folder / f"{label}.dat", array)
        shape = ", ".join(map(str, array.shape))
        return self.emit(f"variable<scalar>(label = '{label}', shape = [{shape}])")

    def linear(self, x, layer):
        """Weights as the right operand, in the order of rows."""
        weight = self.weight(layer.weight.numpy().T[None])
        product = self.emit(f"matmul({x}, {weight})")
        return self.emit(f"add({product}, {self.weight(layer.bias.numpy()[None, None])})")

    def conv(self, x, layer, weight, bias):
        (stride, _), (pad, _) = layer.stride, layer.padding
        bias = "0.0" if bias is None else self.weight(bias[None])
        return self.emit(f"conv({x}, {self.weight(weight)}, {bias}, padding = [({pad}, {pad}), ({pad}, {pad})], "
                         f"stride = [{stride}, {stride}], dilation = [1, 1], border = 'constant', groups = 1)")

    def layer_norm(self, x, layer):
        """The mean of squares minus the square of the mean."""
        mean = self.emit(f"mean_reduce({x}, axes = [2])")
        squares = self.emit(f"mean_reduce(mul({x}, {x}), axes = [2])")
        variance = self.emit(f"sub({squares}, mul({mean}, {mean}))")
        scale = self.emit(f"rsqrt(add({variance}, {layer.eps}))")
        y = self.emit(f"mul(sub({x}, {mean}), {scale})")
        y = self.emit(f"mul({y}, {self.weight(layer.weight.numpy()[None, None])})")
        return self.emit(f"add({y}, {self.weight(layer.bias.numpy()[None, None])})")

    def heads(self, x, layer, order):
        split = self.emit(f"reshape({x}, shape = [2, 16, {layer.heads}, {layer.size}])")
        return self.emit(f"transpose({split}, axes = {order})")

    def attention(self, x, mask, layer, names):
        parts = {}
        for part in ("value", "key", "query"):
            self.module = f"{names}.{part}"
            parts[part] = self.linear(x, getattr(layer, part))
            self.module = names
        q = self.heads(self.emit(f"mul({parts['query']}, {layer.size ** -0.5})"), layer, [0, 2, 1, 3])
        k = self.heads(parts["key"], layer, [0, 2, 3, 1])
        v = self.heads(parts["value"], layer, [0, 2, 1, 3])
        scores = self.emit(f"add(matmul({q}, {k}), {mask})")
        y = self.emit(f"matmul(softmax({scores}, axes = [3]), {v})")
        y = self.emit(f"transpose({y}, axes = [0, 2, 1, 3])")
        return self.emit(f"reshape({y}, shape = [2, 16, 16])")

    def gelu(self, x):
        y = self.emit(f"tract_core_erf(mul({x}, 0.70710678))")
        return self.emit(f"mul(mul({x}, 0.5), add({y}, 1.0))")


def norm_numbers(norm):
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return scale.numpy(), (norm.bias - norm.running_mean * scale).numpy()


def network(w, model):
    x, mask = w.emit("tract_core_external(shape = [2, 3, 16, 16], datum_type = 'f32')"), None
    mask = w.emit("tract_core_external(shape = [1, 1, 16, 16], datum_type = 'f32')")
    inputs = (x, mask)
    w.module = "conv1"
    scale, shift = norm_numbers(model.bn1)
    y = w.conv(x, model.conv1, model.conv1.weight.numpy(), None)
    w.module = "bn1"
    y = w.emit(f"add(mul({y}, {w.weight(scale[None, :, None, None])}), {w.weight(shift[None, :, None, None])})")
    w.module = ""
    y = first = w.emit(f"max({y}, 0.0)")
    w.module = "skip"
    skip = w.conv(first, model.skip, model.skip.weight.numpy(), model.skip.bias.numpy())
    w.module = "conv2"  # with its norm
    scale, shift = norm_numbers(model.bn2)
    y = w.conv(first, model.conv2, model.conv2.weight.numpy() * scale[:, None, None, None],
               model.conv2.bias.numpy() * scale + shift)
    w.module = ""
    y = w.emit(f"relu(add({skip}, {y}))")
    w.module = "pool"
    y = w.emit(f"max_pool({y}, size = [1, 1, 2, 2], border = 'ignore', padding = [(0, 0), (0, 0), (0, 0), (0, 0)], "
               "stride = [1, 1, 2, 2], dilation = [1, 1, 1, 1])")
    w.module = ""
    x = w.emit(f"transpose(reshape({y}, shape = [2, 16, 16]), axes = [0, 2, 1])")
    w.module = "norm1"
    y = w.layer_norm(x, model.norm1)
    w.module = "attention"
    y = w.attention(y, mask, model.attention, "attention")
    w.module = "project"
    y = w.linear(y, model.project)
    w.module = ""
    x = w.emit(f"add({y}, {x})")
    w.module = "norm2"
    y = w.layer_norm(x, model.norm2)
    w.module = "up"
    y = w.linear(y, model.up)
    w.module = ""
    y = w.gelu(y)
    w.module = "down"
    y = w.linear(y, model.down)
    w.module = ""
    y = w.emit(f"add({y}, {x})")
    y = w.emit(f"mul(squeeze(sum_reduce({y}, axes = [1]), axes = [1]), 0.0625)")
    w.module = "head"
    y = w.emit(f"matmul({y}, {w.weight(model.head.weight.numpy().T)})")
    return inputs, w.emit(f"add({y}, {w.weight(model.head.bias.numpy()[None])})")


@torch.no_grad()
def write(model, folder):
    writer = Writer(folder)
    inputs, output = network(writer, model)
    body = "\n".join("    " + line for line in writer.lines)
    (writer.folder / "graph.nnef").write_text(
        "version 1.0;\n\nextension tract_registry tract_core;\n\n"
        f"graph other({', '.join(inputs)}) -> ({output})\n{{\n{body}\n}}\n")
    return writer.modules
