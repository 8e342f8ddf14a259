# SPDX-License-Identifier: Apache-2.0
"""Exports the zoo with dynamic axes: dynamic.py OUTDIR [NAME ...]; OUTDIR is what build.py wrote.

Three ways: `batch` opens the first axis of all inputs, `length` the second of integer ones as well,
`image` height and width. A way is tried where the inputs have such axes. A file is right if --check
passes at the sample's sizes and at two more of each axis; "one size" if torch itself runs the saved
model at the sample's sizes only, or takes another way at others.
"""

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import run as zoo

PAGE = """# The model zoo with dynamic axes

The models of [the zoo](zoo.md) up to {limit} MB, exported with dynamic axes to {target} and checked
at the sample's sizes and two others of every axis. Dynamic axes: `batch` is the first axis of all inputs,
`length` also the second of token ids, `image` height and width. *One size*: the saved model itself runs
at no other sizes, or takes another branch there; the message names the line. Made by
`tests/zoo/dynamic.py`.

**{summary}**

{failures}{table}"""
ONE_SIZE = ("dynamic-failed", "dynamic-differs")


def axes_of(way, inputs):
    """The --dynamic of one way; nothing if the inputs have no such axes."""
    batches = {array.shape[0] for array in inputs.values() if array.ndim}
    batch = [f"{name}:0=B" for name, array in inputs.items() if array.ndim]
    words = [name for name, array in inputs.items() if array.ndim == 2]
    if way == "batch":
        return batch if len(batches) == 1 else []
    if way == "length":
        lengths = {inputs[name].shape[1] for name in words}
        has_ids = any(inputs[name].dtype.kind == "i" for name in words)
        fits = len(lengths) == 1 and has_ids and len(batches) == 1
        return batch + [f"{name}:1=S" for name in words] if fits else []
    images = [n for n, a in inputs.items() if a.ndim == 4 and a.shape[1] <= 4 and a.shape[2] >= 32]
    return [f"{images[0]}:2=H", f"{images[0]}:3=W"] if len(images) == 1 else []


def export(program, model, npz, target, axes):
    """What came of it ("ok", a diagnostic's id, "timeout") and the message."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [program, "export", model, "--target", target, "--check", "-i", f"@{npz}"]
        command += ["--engine", "tract", "-o", Path(folder) / "model.nnef.tar", "--report", report]
        for axis in axes:
            command += ["--dynamic", axis]
        code, said, _, _ = zoo.run([str(word) for word in command])
        errors = []
        if report.exists():
            found = json.loads(report.read_text())["diagnostics"]
            errors = [each for each in found if each["severity"] == "error"]
    if code == 0:
        return "ok", ""
    if errors:
        return errors[0]["id"], errors[0]["message"].splitlines()[0]
    return f"exit {code}", (said.splitlines() or [""])[0]


def verdict(status):
    return "ok" if status == "ok" else "one size" if status in ONE_SIZE else "no"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="OUTDIR", type=Path)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--program", type=Path, default=zoo.PROGRAM)
    parser.add_argument("--target", default="tract")
    parser.add_argument("--ways", default="length,image,batch")
    parser.add_argument("--limit", type=int, default=30, help="largest file in MB [30]")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    options = parser.parse_intermixed_args()
    made_at = zoo.stamp.line()
    rows, failures, counts = [], [], {way: Counter() for way in options.ways.split(",")}
    for way in counts:
        for npz in sorted(options.folder.glob("*.npz")):
            name = npz.stem
            axes = axes_of(way, {k: v for k, v in np.load(npz).items() if not k.startswith("output")})
            if not axes or (options.names and name not in options.names):
                continue
            for model in sorted(options.folder.glob(f"{name}.*.pt")):
                if model.stat().st_size > options.limit * 1_000_000:
                    continue
                saved = model.name[len(name) + 1 : -len(".pt")]
                status, message = export(options.program, model, npz, options.target, axes)
                print(f"{way:7} {name} ({saved}): {status} {message}", flush=True)
                counts[way][verdict(status)] += 1
                rows.append(f"| {name} | {saved} | {way} | {verdict(status)} |")
                if verdict(status) == "no":
                    failures.append(f"- {name} ({saved}, {way}): `{status}: {message[:150]}`")
    summary = "; ".join(
        f"{way}: {n['ok']} right, {n['one size']} of one size, {n['no']} not right" for way, n in counts.items()
    )
    print(summary)
    if options.markdown:
        listed = "Not right:\n\n" + "\n".join(failures) + "\n\n" if failures else ""
        head = "| model | saved | axes | |\n|---|---|---|---|\n"
        page = PAGE.format(limit=options.limit, target=options.target, summary=summary, failures=listed,
                           table=head + "\n".join(rows) + "\n")
        page = zoo.totals.inserted(options.markdown.stem, page)
        options.markdown.write_text(zoo.stamp.stamped(page, made_at))


if __name__ == "__main__":
    main()
