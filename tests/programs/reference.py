# SPDX-License-Identifier: Apache-2.0
"""torch on a saved program, in a process of its own: at other values a loop may have no end."""

import contextlib
import copy
import functools
import os
import warnings

from child import Child, serve


def reference():
    """Asked ("run", path, arrays): the outputs' tensors in order, as arrays.
    Asked ("undefined", path, arrays): whether a cast meets numbers that its dtype cannot hold, or torch computes a
    median wrongly.
    Asked ("noise", path, arrays, way): how far each output moves when all operations are in f64 (way 0), or round
    otherwise (a way for each way > 0)."""
    return Child(__file__, {"OMP_NUM_THREADS": "1"})


def flat(output):
    """The tensors of a result, in order; numbers as tensors without axes."""
    import numpy as np
    import torch
    if isinstance(output, torch.Tensor):
        return [output.resolve_conj().detach().numpy()]
    if isinstance(output, (list, tuple)):
        return [tensor for each in output for tensor in flat(each)]
    if isinstance(output, dict):
        return [tensor for each in output.values() for tensor in flat(each)]
    if isinstance(output, (bool, int)):
        return [np.asarray(output)]
    if isinstance(output, float):
        return [np.asarray(output, np.float32)]
    if output is None:
        return []
    raise ValueError(f"a {type(output).__name__} among the outputs")


def noise(path, arrays, way):
    import numpy as np
    import torch

    def outputs(wide=False):
        model, inputs = torch.jit.load(path), [torch.from_numpy(array.copy()) for array in arrays]
        if wide:
            model, inputs = model.double(), [each.double() if each.is_floating_point() else each for each in inputs]
        return [each.astype(np.float64) for each in flat(model(*inputs))]

    with torch.no_grad(), torch.jit.optimized_execution(False):
        usual = others = outputs()
        if way == 0:
            with contextlib.suppress(RuntimeError):  # a program may ask for f32
                others = outputs(wide=True)
        else:
            with rounding(seed=way):
                others = outputs()
    return [np.nanmax(np.abs(a - b), initial=0.0) if a.shape == b.shape else np.inf for a, b in zip(usual, others)]


def rounding(seed):
    """A mode that gives other last bits to what every operation computes."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    aten = torch.ops.aten
    # Engines approximate them to an error that is not relative to results near 0; whether it is times the operand.
    saturating = {aten.tanh: False, aten.sigmoid: False, aten.erf: False, aten.gelu: True, aten.silu: True, aten.mish: True,
                  aten.tanh_: False, aten.sigmoid_: False}
    # Their results are sums, which round relative to their terms, and may be 0.
    sums = {aten.upsample_linear1d, aten.upsample_bilinear2d, aten.upsample_bicubic2d, aten.upsample_trilinear3d}
    generator = torch.Generator().manual_seed(seed)

    class Rounding(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            for each, its in zip(result if isinstance(result, (tuple, list)) else [result], function._schema.returns):
                is_new = its.alias_info is None or function.overloadpacket in saturating
                if isinstance(each, torch.Tensor) and is_new and (each.is_floating_point() or each.is_complex()):
                    numbers = torch.view_as_real(each) if each.is_complex() else each
                    step = torch.finfo(each.dtype).eps * torch.randn(numbers.shape, generator=generator)
                    numbers.mul_((1 + step).to(numbers.dtype))
                    if function.overloadpacket in saturating:
                        numbers.add_((step * (args[0] if saturating[function.overloadpacket] else 1)).to(numbers.dtype))
                    if function.overloadpacket in sums:
                        numbers.add_((step * args[0].abs().amax()).to(numbers.dtype))
            return result

    return Rounding()


@functools.lru_cache(maxsize=1)
def loaded(path, written):
    """The file's module, `written` being its time of modification: programs of one name follow each other."""
    import torch
    return torch.jit.load(path)


def run(kind, path, arrays, way=0):
    """On a copy, as a run may change attributes: it shares the code, which takes torch most of a load to optimise."""
    import torch
    if kind == "noise":
        return noise(path, arrays, way)
    watch = watched_operations()
    module = copy.deepcopy(loaded(path, os.stat(path).st_mtime_ns))
    # Torch's optimiser gets some writes through views wrong (`v.t()[0] = 1.5` of a bool, 2.13).
    with torch.no_grad(), torch.jit.optimized_execution(False), watch if kind == "undefined" else contextlib.nullcontext():
        outputs = flat(module(*[torch.from_numpy(array.copy()) for array in arrays]))
    return watch.undefined if kind == "undefined" else outputs


def watched_operations():
    """A mode that notes casts of floats to integers beyond them: C++ and torch leave their results open, and x86 gives
    others than tract, which takes the nearest. It notes medians of expanded tensors as well: torch 2.13 orders their
    elements in place, where each is several."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        undefined = False

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            if function.overloadpacket in (torch.ops.aten._to_copy, torch.ops.aten.copy_):
                given = args[function.overloadpacket is torch.ops.aten.copy_]
                if given.dtype.is_floating_point and not (result.dtype.is_floating_point or result.dtype == torch.bool):
                    self.undefined |= not bool((given.abs() < float(torch.iinfo(result.dtype).max)).all())
            if function.overloadpacket in (torch.ops.aten.median, torch.ops.aten.nanmedian):
                self.undefined |= any(size > 1 and stride == 0 for size, stride in zip(args[0].shape, args[0].stride()))
            return result

    return Watch()


if __name__ == "__main__":
    import torch
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(run)
