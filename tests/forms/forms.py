# SPDX-License-Identifier: Apache-2.0
"""Times of forms that compute the same quantised operation in tract, and of int8 models next to float ones.

    forms.py [--out build/forms] [--markdown docs/forms.md]
"""

import argparse
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/pages"), os.environ.get("T2NNEF_WHEEL", str(ROOT / "build/engines/tract-0.23.9"))]
import stamp  # noqa: E402
import tract  # noqa: E402

ROUND = 0.01  # seconds that one file runs in a turn

PAGE = """# Forms of quantised operations

`make forms` measures them in tract {engine} and writes this page. All forms of a row compute the same numbers, which is
verified first. Ratios are medians of processor time over {turns} turns in one process. The processor: {processor}.
{isa}

## Products of integers

A linear layer on integers of 8 bits, f32 = 1. *f32* has the integers in f32, which is exact up to sums of 2^24; *i32*
and *i8* are einsums with 32-bit sums.

{products}

Files have f32, and i32 where the weights show that f32 may round (`src/target/integer_products.cpp`). `export
--processor vnni` takes i8 from 256 products on.

## Rounding, scales and quotients

The first form is 1.

{others}

## Models

int8 divided by float, with seeded random weights: torch's own int8 models (static: FX, x86; dynamic), and `--compress
int8`. Images have 56 x 56 pixels, transformers two layers of 256, taggers 32 steps of 64.

{models}

What remains: rounding, clamping and scaling of activations, which tract computes element by element in one chain; and
the steps of recurrent layers, for which it has kernels in f32 alone (`tract_core_gru_seq`, `tract_core_lstm_epilogue`).
Without VNNI tract has no fast kernel for products of bytes, so that int8 gains memory only.
"""


def write_dat(path, array):
    kind = 0 if array.dtype.kind == "f" else 4
    header = struct.pack("<BBBBII", 0x4E, 0xEF, 1, 0, array.nbytes, array.ndim)
    header += struct.pack("<8I", *array.shape, *[0] * (8 - array.ndim))
    header += struct.pack("<II", array.itemsize * 8, kind)
    path.write_bytes(header.ljust(128, b"\0") + np.ascontiguousarray(array).tobytes())


def load(path):
    return tract.nnef().with_tract_extra().with_tract_transformers().load(str(path)).into_runnable()


def graph(folder, shape, body, constants):
    """A model with the input x and the output y."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"    x = tract_core_external(shape = {list(shape)}, datum_type = 'f32');"]
    for name, array in constants.items():
        write_dat(folder / f"{name}.dat", array)
        lines.append(f"    {name} = variable<scalar>(label = '{name}', shape = {list(array.shape)});")
    text = "\n".join(lines + [f"    {line.strip()};" for line in body.split(";") if line.strip()])
    (folder / "graph.nnef").write_text("version 1.0;\n\nextension tract_registry tract_core;\n\n"
                                       f"graph form(x) -> (y)\n{{\n{text}\n}}\n")
    return load(folder)


def seconds_of(runnable, inputs, calls):
    begin = time.process_time()
    for _ in range(calls):
        runnable.run(inputs)
    return (time.process_time() - begin) / calls


def interleaved(runnables, inputs, turns):
    """Medians of seconds, and of ratios to the first."""
    calls = [max(1, int(ROUND / max(seconds_of(each, inputs, 2), 1e-7))) for each in runnables]
    times = np.array([[seconds_of(each, inputs, count) for each, count in zip(runnables, calls)]
                      for _ in range(turns)])
    return np.median(times, axis=0), np.median(times / times[:, :1], axis=0)


def compared(forms, x, turns):
    results = [each.run([x])[0].to_numpy() for each in forms]
    for each in results[1:]:
        if not np.array_equal(results[0], each):
            raise ValueError("forms differ")
    return interleaved(forms, [x], turns)[1]


PRODUCTS = {
    "f32": "c = tract_core_cast(w, to = 'f32'); y = tract_core_einsum([x, c], expr = 'abk,nk->abn', acc = 'f32')",
    "i32": "c = tract_core_cast(w, to = 'i32'); i = tract_core_cast(x, to = 'i32'); "
           "z = tract_core_einsum([i, c], expr = 'abk,nk->abn', acc = 'i32'); y = tract_core_cast(z, to = 'f32')",
    "i8": "i = tract_core_cast(x, to = 'i8'); "
          "z = tract_core_einsum([i, w], expr = 'abk,nk->abn', acc = 'i32'); y = tract_core_cast(z, to = 'f32')",
}


def measure_products(folder, turns):
    lines = ["| layer | rows | f32 | i32 | i8 |", "| --- | --- | --- | --- | --- |"]
    random = np.random.default_rng(0)
    for inputs, outputs in ((64, 64), (256, 1024), (1024, 1024)):
        weight = random.integers(-127, 128, (outputs, inputs)).astype(np.int8)
        for rows in (1, 16, 64):
            x = random.integers(-127, 128, (1, rows, inputs)).astype(np.float32)
            forms = [graph(folder / f"product_{i}", x.shape, body, {"w": weight})
                     for i, body in enumerate(PRODUCTS.values())]
            ratios = compared(forms, x, turns)
            lines.append(f"| {inputs} to {outputs} | {rows} | " + " | ".join(f"{each:.2f}" for each in ratios) + " |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


CHAIN = "a = mul(x, 0.37); b = add(a, 17.0); {} l = max(r, 0.0); m = min(l, 255.0); y = add(m, -17.0)"
SUMS = "t = add(b, 12582912.0); r = sub(t, 12582912.0);"
OTHERS = {
    "an activation rounded to 8 bits": {
        "tract_core_round_even": CHAIN.format("r = tract_core_round_even(b);"),
        "(x + 12582912) - 12582912": CHAIN.format(SUMS),
    },
    "a clamp": {
        "comparisons and select": "a = select(gt(x, 7.0), 7.0, x); y = select(lt(a, -8.0), -8.0, a)",
        "min and max": "a = min(x, 7.0); y = max(a, -8.0)",
    },
    "an integer times its scale, plus an error": {
        "in f64": "a = round(x); b = tract_core_cast(a, to = 'f64'); c = mul(b, tract_core_cast(0.0371, to = 'f64')); "
                  "d = add(c, tract_core_cast(0.000000011, to = 'f64')); y = tract_core_cast(d, to = 'f32')",
        "in f32, in two parts": "a = round(x); b = mul(a, {high}); c = mul(a, {low}); d = add(c, 0.000000011); "
                                "y = add(b, d)",
    },
}


def scale_parts():
    scale = np.float32(0.0371)
    unit = 2.0 ** (np.frexp(scale)[1] - 16)
    high = np.round(float(scale) / unit) * unit
    return {"high": repr(float(high)), "low": np.format_float_positional(np.float32(float(scale) - high))}


def measure_others(folder, turns):
    lines = ["| operation | form | elements: 100352 | 4096 |", "| --- | --- | --- | --- |"]
    random = np.random.default_rng(0)
    for operation, forms in OTHERS.items():
        columns = []
        for shape in ((1, 32, 56, 56), (1, 64, 8, 8)):
            x = (100 * random.standard_normal(shape)).astype(np.float32)
            if "scale" in operation:
                x = np.clip(np.rint(x), -128, 127).astype(np.float32)
            built = [graph(folder / f"other_{i}", shape, body.format(**scale_parts()), {})
                     for i, body in enumerate(forms.values())]
            columns.append(compared(built, x, turns))
        for form, *ratios in zip(forms, *columns):
            lines.append(f"| {operation} | {form} | " + " | ".join(f"{each:.2f}" for each in ratios) + " |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def export(program, model, out, *words):
    command = [str(word) for word in (program, "export", model, "-t", "tract", "-o", f"{out}/", "--quiet", *words)]
    subprocess.run(command, check=True)
    return load(out)


def measure_models(options):
    import models

    subprocess.run([sys.executable, HERE / "models.py", options.out], check=True)
    lines = ["| model | float, μs | torch int8 | --compress int8 |", "| --- | --- | --- | --- |"]
    for name, (_, draw, how) in models.MODELS.items():
        file, data = options.out / f"{name}.pt", options.out / f"{name}.npz"
        built = [export(options.program, file, options.out / f"{name}.float"),
                 export(options.program, options.out / f"{name}.int8.pt", options.out / f"{name}.torch"),
                 export(options.program, file, options.out / f"{name}.compressed", "--compress", "int8", "--calibrate",
                        f"@{data}")]
        times, ratios = interleaved(built, [np.load(data)["input_0"][:1]], options.turns)
        kind = "static" if how is models.static else "dynamic"
        lines.append(f"| {name} | {times[0] * 1e6:.0f} | {ratios[1]:.2f} ({kind}) | {ratios[2]:.2f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def processor():
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    fields = dict(line.split("\t: ", 1) for line in text.replace("\t\t", "\t").splitlines() if "\t: " in line)
    flags = fields.get("flags", "").split()
    known = [flag for flag in ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "amx_int8") if flag in flags]
    vnni = any("vnni" in flag for flag in known)
    return fields.get("model name", "unknown"), f"It has {', '.join(known) or 'none of AVX2 and later'}" + (
        "." if vnni else ", and no VNNI.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build/forms")
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--turns", type=int, default=21)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    made_at = stamp.line()
    name, isa = processor()
    page = PAGE.format(engine="0.23.9", turns=options.turns, processor=name, isa=isa,
                       products=measure_products(options.out, options.turns),
                       others=measure_others(options.out, options.turns), models=measure_models(options))
    if options.markdown:
        options.markdown.write_text(stamp.stamped(page, made_at))


if __name__ == "__main__":
    main()
