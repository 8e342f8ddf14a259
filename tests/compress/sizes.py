# SPDX-License-Identifier: Apache-2.0
"""Models of published sizes with seeded random weights under every preset: time, memory, and the check.

    sizes.py [MODEL...] [--out build/sizes] [--markdown docs/compression_sizes.md]

Files and results stay in --out, so that the table is whole after a run of some models.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/zoo"), str(ROOT / "tests/pages")]
import stamp  # noqa: E402

PRESETS = ["", "int8", "int8-weights", "int4-weights", "q4_0", "f16"]
SETTINGS = {"int4-weights": {"": {"weights": {"bits": 4}}}}  # others are the program's own
BATCHES = 4  # of the calibration set
MB = 1e6

PAGE = """# Compression of models of published sizes

ResNet-18, MobileNet-V2, ViT-B/16 and BERT-base with seeded random weights, exported to tract with every preset and
{batches} batches of random calibration data. `make compression_sizes` runs this and writes this page. Time (of the
processor) and memory are those of `export` to a folder without a check. Memory is the peak of anonymous memory, without
mapped files: LibTorch alone takes some 70 MB of it; compression keeps its results on the disk, and one weight at a time
as floats. The check compares tract {engine} with the compressed graph over LibTorch's kernels. SNR is that of the first
output, against the float model: random weights do not show what trained models lose. Weights are initialised by the
libraries. With larger ones, rounding errors of 8 bits grow from layer to layer, until LibTorch and tract no longer
agree.

{table}
"""


def build(name):
    """The model and a function that gives a batch."""
    import build as zoo  # makes torchvision importable
    import torch
    import torchvision
    import transformers

    torch.manual_seed(0)
    if name == "bert_base":
        config = transformers.BertConfig(attn_implementation="sdpa", return_dict=False)
        model = transformers.BertForSequenceClassification(config)
        batch = lambda: (torch.randint(1, config.vocab_size, (1, 32)),)  # noqa: E731
    else:
        model = getattr(torchvision.models, name)()
        batch = lambda: (torch.randn(1, 3, 224, 224),)  # noqa: E731
    model.eval().requires_grad_(False)
    with torch.no_grad():
        zoo.randomise_constants(model)
        zoo.calibrate_batch_norm(model, batch())
    return model, batch


MODELS = ["resnet18", "mobilenet_v2", "vit_b_16", "bert_base"]


def save(name, folder):
    """The file and its calibration set, once."""
    path = folder / f"{name}.pt"
    if not path.exists():
        model, batch = build(name)
        import torch

        with torch.no_grad():
            torch.jit.trace(model, batch(), check_trace=False).save(folder / "part.pt")
        rows = [batch()[0].numpy() for _ in range(BATCHES)]
        np.savez(folder / f"{name}.npz", input_0=np.concatenate(rows))
        (folder / "part.pt").rename(path)
    return path


def anonymous_bytes(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def watched(command):
    """The exit code, what was said, seconds of processors, and how much anonymous memory there was at most."""
    with tempfile.TemporaryFile("w+") as talk:
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=talk,
                                 stderr=subprocess.STDOUT)
        most = done = 0
        while done == 0:
            most = max(most, anonymous_bytes(child.pid))
            time.sleep(0.005)
            done, status, used = os.wait4(child.pid, os.WNOHANG)
        child.returncode = os.waitstatus_to_exitcode(status)
        talk.seek(0)
        return child.returncode, talk.read(), used.ru_utime + used.ru_stime, most


def size_of(path):
    return sum(each.stat().st_size for each in path.iterdir()) if path.is_dir() else path.stat().st_size


def measure(program, name, preset, path):
    out = path.with_suffix(".nnef")
    command = [program, "export", path, "-t", "tract", "-o", out]
    if preset:
        settings = path.with_suffix(f".{preset}.json")
        if preset in SETTINGS:
            settings.write_text(json.dumps(SETTINGS[preset]))
        command += ["--compress", settings if preset in SETTINGS else preset, "--calibrate",
                    f"@{path.with_suffix('.npz')}"]
    code, talk, seconds, most = watched(command)
    row = {"model": name, "preset": preset or "none", "model_bytes": path.stat().st_size, "code": code}
    if code != 0:
        return {**row, "problem": first_error(talk)}
    row |= {"bytes": size_of(out), "seconds": seconds, "memory": most}
    report = path.with_suffix(".json")
    code, talk, *_ = watched(command + ["--check", "--report", report])
    row["verdict"] = "ok" if code == 0 else first_error(talk)
    if preset and code == 0:
        row["snr"] = json.loads(report.read_text())["compression"]["outputs"][0]["snr_db"]
    return row


def first_error(talk):
    lines = [line for line in talk.splitlines() if line.startswith(("error", "internal"))]
    return (lines or talk.splitlines()[-1:] or ["no word"])[0]


def table(rows):
    lines = ["| | compression | file, MB | of the floats | time, s | memory, MB | of the model's file | SNR, dB | check |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    whole = {row["model"]: row.get("bytes") for row in rows if row["preset"] == "none"}
    for row in rows:
        if "problem" in row:
            lines.append(f"| {row['model']} | {row['preset']} | | | | | | | {row['problem']} |")
            continue
        snr = "" if row.get("snr") is None else f"{row['snr']:.1f}"
        lines.append(
            f"| {row['model']} | {row['preset']} | {row['bytes'] / MB:.1f} | {row['bytes'] / whole[row['model']]:.2f} "
            f"| {row['seconds']:.1f} | {row['memory'] / MB:.0f} | {row['memory'] / row['model_bytes']:.2f} | {snr} "
            f"| {row['verdict']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--out", type=Path, default=ROOT / "build/sizes")
    parser.add_argument("--program", type=Path, default=ROOT / "build/t2nnef")
    parser.add_argument("--presets", nargs="*", default=PRESETS)
    parser.add_argument("--engine", default="0.23.9", help="the version of tract that the target means")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    made_at = stamp.line()
    for name in options.models or MODELS:
        path = save(name, options.out)
        for preset in options.presets:
            row = measure(options.program, name, preset, path)
            kept = options.out / f"{name}.{preset or 'none'}.row.json"
            kept.write_text(json.dumps(row))
            stamp.keep(kept, made_at)
            print(json.dumps(row), flush=True)
    kept = [options.out / f"{name}.{preset or 'none'}.row.json" for name in MODELS for preset in PRESETS]
    rows = [json.loads(path.read_text()) for path in kept if path.exists()]
    if options.markdown:
        page = PAGE.format(batches=BATCHES, engine=options.engine, table=table(rows))
        options.markdown.write_text(stamp.stamped(page, stamp.oldest(kept)))
    return 0 if all(row.get("verdict") == "ok" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
