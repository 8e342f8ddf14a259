"""torch on a saved program, in a process of its own: at other values a loop may have no end."""

import warnings

from child import Child, serve


def reference():
    """Asked ("run", path, arrays): the outputs' tensors in order, as arrays."""
    return Child(__file__, {"OMP_NUM_THREADS": "1"})


def flat(output):
    """The tensors of a result, in order."""
    import torch
    if isinstance(output, torch.Tensor):
        return [output.resolve_conj().detach().numpy()]
    if isinstance(output, (list, tuple)):
        return [tensor for each in output for tensor in flat(each)]
    if isinstance(output, dict):
        return [tensor for each in output.values() for tensor in flat(each)]
    raise ValueError(f"a {type(output).__name__} among the outputs")


def run(kind, path, arrays):
    """Loaded anew each time: a run may change attributes."""
    import torch
    # Torch's optimiser gets some writes through views wrong (`v.t()[0] = 1.5` of a bool, 2.13).
    with torch.no_grad(), torch.jit.optimized_execution(False):
        return flat(torch.jit.load(path)(*[torch.from_numpy(array.copy()) for array in arrays]))


if __name__ == "__main__":
    import torch
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(run)
