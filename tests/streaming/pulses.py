# SPDX-License-Identifier: Apache-2.0
"""tract's C interface of 0.23 by ctypes: a model in pulses, fed piece by piece. Nothing of t2nnef takes part.

As a program it serves requests of run.py, one JSON a line: a panic of the engine ends this process alone.
"""

import ctypes as c
import json
import os
import sys

import numpy as np

TYPES = {0x01: np.bool_, 0x24: np.int32, 0x28: np.int64, 0x34: np.float32, 0x38: np.float64}
CODES = {np.dtype(kind): code for code, kind in TYPES.items()}


class Engine:
    def __init__(self, library):
        self.lib = c.CDLL(library)
        self.lib.tract_get_last_error.restype = c.c_char_p

    def check(self, status):
        if status != 0:
            text = self.lib.tract_get_last_error().decode(errors="replace").split("Stack backtrace")[0]
            raise RuntimeError(" | ".join(line.strip() for line in text.splitlines() if line.strip()))

    def handle(self, function, *arguments):
        out = c.c_void_p()
        self.check(function(*arguments, c.byref(out)))
        return out

    def tensor(self, handle):
        kind, rank, shape, data = c.c_uint32(), c.c_size_t(), c.POINTER(c.c_size_t)(), c.c_void_p()
        self.check(self.lib.tract_tensor_as_bytes(handle, c.byref(kind), c.byref(rank), c.byref(shape), c.byref(data)))
        dims = [shape[i] for i in range(rank.value)]
        dtype = np.dtype(TYPES[kind.value])
        size = int(np.prod(dims, dtype=np.int64)) * dtype.itemsize
        return np.frombuffer(c.string_at(data.value, size) if size else b"", dtype).reshape(dims).copy()

    def count(self, function, model):
        out = c.c_size_t()
        self.check(function(model, c.byref(out)))
        return out.value

    def load(self, path, symbol, pulse):
        nnef = self.handle(self.lib.tract_nnef_create)
        for registry in ("tract_extra", "tract_transformers", "onnx", "pulse"):
            self.check(getattr(self.lib, "tract_nnef_enable_" + registry)(nnef))
        model = self.handle(self.lib.tract_nnef_load, nnef, path.encode())
        transform = {"name": "pulse", "symbol": symbol, "pulse": str(pulse)}
        self.check(self.lib.tract_model_transform(model, json.dumps(transform).encode()))
        said = {key: self.tensor(self.handle(self.lib.tract_model_property, model, b"pulse." + key.encode())).tolist()
                for key in ("delay", "input_axes", "output_axes")}
        said["inputs"] = []
        for i in range(self.count(self.lib.tract_model_input_count, model)):
            fact = self.handle(self.lib.tract_model_input_fact, model, i)
            text = c.c_char_p()
            self.check(self.lib.tract_fact_dump(fact, c.byref(text)))
            said["inputs"].append(text.value.decode().split(","))
        runnable = c.c_void_p()
        self.check(self.lib.tract_model_into_runnable(c.byref(model), c.byref(runnable)))
        return runnable, said

    def run(self, state, inputs, outputs):
        given = (c.c_void_p * max(1, len(inputs)))()
        for i, array in enumerate(inputs):
            array = np.array(array, order="C", copy=True)
            shape = (c.c_size_t * (array.ndim + 1))(*array.shape, 0)
            given[i] = self.handle(self.lib.tract_tensor_from_bytes, CODES[array.dtype], array.ndim, shape,
                                   array.ctypes.data_as(c.c_void_p)).value
        out = (c.c_void_p * (outputs + 1))()
        self.check(self.lib.tract_state_run(state, given, out))
        return [self.tensor(c.c_void_p(out[i])) for i in range(outputs)]


def in_pulses(engine, path, symbol, pulse, inputs):
    """Outputs without what comes before their first entries, the delays and the axes."""
    runnable, said = engine.load(path, symbol, pulse)
    state = engine.handle(engine.lib.tract_runnable_spawn_state, runnable)
    axes = said["input_axes"]
    sizes = [int(fact[axis]) if axis >= 0 else 0 for fact, axis in zip(said["inputs"], axes)]
    # The input goes on behind what is fed: a model may treat the end of its input in a way of its own.
    pieces = min(array.shape[axis] * 2 // 3 // size for array, axis, size in zip(inputs, axes, sizes) if axis >= 0)
    given = []
    for at in range(pieces):
        piece = [array if axis < 0 else np.take(array, range(at * size, (at + 1) * size), axis=axis)
                 for array, axis, size in zip(inputs, axes, sizes)]
        given.append(engine.run(state, piece, len(said["delay"])))
    outputs = []
    for i, axis in enumerate(said["output_axes"]):
        if axis < 0:
            outputs.append(given[-1][i])
            continue
        whole = np.concatenate([each[i] for each in given], axis=axis)
        outputs.append(np.take(whole, range(min(said["delay"][i], whole.shape[axis]), whole.shape[axis]), axis=axis))
    return outputs, said["delay"], said["output_axes"]


def difference(outputs, expected, axes):
    """The first entry that differs, as text; "" where none does."""
    for i, (got, want, axis) in enumerate(zip(outputs, expected, axes)):
        if axis >= 0:
            count = min(got.shape[axis], want.shape[axis])
            if count < 2:
                return f"output {i}: nothing came"
            got, want = (np.take(each, range(count), axis=axis) for each in (got, want))
        if got.shape != want.shape:
            return f"output {i}: shape {got.shape}, not {want.shape}"
        near = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=5e-4, atol=1e-4, equal_nan=True)
        if not near.all():
            place = int(np.argwhere(~near)[:, max(axis, 0)].min()) if got.ndim else 0
            return f"output {i}: wrong from entry {place} on"
    return ""


def answer(engine, request):
    arrays = np.load(request["arrays"])
    inputs = [arrays[f"i{k}"] for k in range(len(arrays)) if f"i{k}" in arrays]
    expected = [arrays[f"o{k}"] for k in range(len(arrays)) if f"o{k}" in arrays]
    try:
        outputs, delays, axes = in_pulses(engine, request["path"], request["symbol"], request["pulse"], inputs)
    except RuntimeError as error:
        return {"refused": str(error)[:300]}
    return {"delays": delays, "difference": difference(outputs, expected, axes)}


if __name__ == "__main__":
    served = Engine(os.environ["T2NNEF_TRACT_LIB"].split(":")[0])
    for line in sys.stdin:
        print(json.dumps(answer(served, json.loads(line))), flush=True)
