# SPDX-License-Identifier: Apache-2.0
"""Runs artefacts in the tract wheel, in a process of its own, since the engine may end it.

    engine.py score MODEL ARTEFACT            prints what the answers on test.npz are worth
    engine.py time MODEL ROUNDS ARTEFACT...   prints processor seconds of one call for each, the best of so many rounds,
                                              in which they take turns

The folder that holds the wheel is T2NNEF_WHEEL.
"""

import os
import sys
import time

import numpy as np

sys.path.insert(0, os.environ["T2NNEF_WHEEL"])
import judged  # noqa: E402
import tract  # noqa: E402

ROUND = 0.2  # seconds


def loaded(artefact):
    reader = tract.nnef().with_tract_extra().with_tract_transformers()
    return reader.load(artefact).into_runnable()


def given(runnable, array):
    """As the artefact takes it: one in half precision may take that."""
    is_half = int(runnable.input_fact(0).datum_type()) == int(tract.DatumType.F16)
    return np.ascontiguousarray(array.astype(np.float16) if is_half else array)


def answers(runnable, array, rows=32):
    out = [runnable.run([given(runnable, array[i:i + rows])])[0].to_numpy() for i in range(0, len(array), rows)]
    return np.concatenate(out)


def once(runnable, sample, calls):
    """Of the processor, on which other programs may run: the engine has one thread."""
    begin = time.process_time()
    for _ in range(calls):
        runnable.run([sample])
    return (time.process_time() - begin) / calls


def best_times(model, artefacts, rounds):
    array = model.arrays("test")[model.argument]
    if model.timed[0] > len(array):
        raise ValueError(f"test.npz of {model.name} holds {len(array)} rows")
    array = array[tuple(slice(size) for size in model.timed)]
    all_of_them = [loaded(each) for each in artefacts]
    samples = [given(each, array) for each in all_of_them]
    calls = [max(1, int(ROUND / once(each, sample, 3))) for each, sample in zip(all_of_them, samples)]
    best = [float("inf")] * len(artefacts)
    for _ in range(rounds):
        for i, each in enumerate(all_of_them):
            best[i] = min(best[i], once(each, samples[i], calls[i]))
    return best


def main():
    command, name, *rest = sys.argv[1:]
    [model] = [each for each in judged.MODELS if each.name == name]
    if command == "score":
        test = model.arrays("test")
        print(judged.score(model.measure, answers(loaded(rest[0]), test[model.argument]), test["labels"]))
    else:
        print("\n".join(map(str, best_times(model, rest[1:], int(rest[0])))))


if __name__ == "__main__":
    main()
