# SPDX-License-Identifier: Apache-2.0
"""Wrong artefacts made of right ones, and what a check says of them.

    run.py test                    lies over some fixtures: exit 1 unless all that are expected are seen
    run.py table [NAME...]         over all fixtures and, if it was built, a part of the zoo: the page
                                   docs/lies.md; results stay in --out, a name alone is run again

Seen is a lie that is refused, or that the check calls inconclusive, by its outputs or by what the file holds. What
outputs did not show is no lie where it is nowhere further from the right file than torch itself is (jury.h).
"""

import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pages"))
import models  # noqa: E402
import stamp  # noqa: E402
import totals  # noqa: E402

FIXTURES = ROOT / "fixtures"
ZOO = ROOT / "build/zoo"


class Model(NamedTuple):
    name: str
    family: str
    path: Path
    words: tuple  # further arguments of t2n_lies


def fixture(name, family, *words, file="model.pt", inputs="input.npz"):
    given = ("--inputs", str(FIXTURES / name / inputs))
    return Model(f"{name}/{file}", family, FIXTURES / name / file, given + words)


MODELS = [
    fixture("digits_cnn", "convolutions"),
    fixture("frozen_cnn", "convolutions"),
    fixture("transformer_encoder", "attention"),
    fixture("transformer_encoder", "attention", file="scripted.pt"),
    fixture("lstm_tagger", "recurrent"),
    fixture("series_gru", "recurrent"),
    fixture("control_flow", "programs"),
    fixture("shared_nested", "programs"),
    fixture("inplace_views", "programs"),
    fixture("mixed_dtypes", "programs"),
    fixture("cached_tables", "programs"),
    fixture("digits_qat", "quantised", file="eager.pt"),
    fixture("digits_qat", "quantised", file="fx_int8.pt"),
    fixture("digits_qat", "quantised", file="lsq_scripted.pt"),
    fixture("digits_brevitas", "quantised", file="weights4.pt"),
    fixture("digits_brevitas", "quantised", file="asymmetric.pt"),
    fixture("quantised", "quantised", file="lstm_tagger.pt", inputs="lstm_tagger.npz"),
    fixture("quantised", "quantised", file="loop_scripted.pt", inputs="loop.npz"),
    fixture("quantised", "quantised", file="static_lstm.pt", inputs="static_lstm.npz"),
    fixture("quantised", "quantised", file="recommender.pt", inputs="recommender.npz"),
    fixture("quantised", "quantised", file="bert.pt", inputs="bert.npz"),
    fixture("digits_cnn", "dynamic sizes", "--dynamic", "x:0=B"),
    fixture("transformer_encoder", "dynamic sizes", "--dynamic", "tokens:0=B"),
    fixture("lstm_tagger", "dynamic sizes", "--dynamic", "tokens:1=S"),
]

# Of models.py.
MADE_MODELS = [("stream", "recurrent", "--state"), ("rounding", "programs"), ("int8_blocks", "quantised"),
               ("int8_depthwise", "quantised"), ("int8_depthwise_saturating", "quantised"), ("codes", "quantised")]

# Of the zoo: file stems by family, small ones that run in seconds.
ZOO_MODELS = {
    "convolutions": ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "squeezenet1_1",
                     "shufflenet_v2_x0_5", "regnet_x_400mf", "googlenet", "mnasnet1_0", "densenet121", "espcn",
                     "tc_resnet8", "pixel_cnn"],
    "attention": ["bert", "gpt2", "llama", "distilbert", "roberta", "t5_encoder", "clip", "detr", "layoutlm", "bart",
                  "deberta_v2", "gptj", "deit_tiny_patch16_224", "convnextv2_atto", "swin_t", "mixer_s32_224", "patchtst",
                  "wav2vec2", "whisper_encoder", "sasrec", "translator"],
    "recurrent": ["lstm_tagger", "gru_tagger", "keyword_crnn", "voice_activity", "mamba", "rwkv"],
    "quantised": ["int8_resnet18", "int8_mobilenet_v2", "int8_shufflenet_v2_per_tensor"],
    "programs": ["dlrm", "deepfm", "gat", "din", "real_nvp", "nerf"],
}

# The ctest.
TESTED = ["digits_cnn/model.pt", "control_flow/model.pt", "mixed_dtypes/model.pt", "transformer_encoder/model.pt"]


# In the order of the table.
KINDS = ["input-ignored", "input-baked", "input-sign-lost", "state-not-fed", "first-output-wrong", "further-output-wrong",
         "outputs-swapped", "half-constant", "class-missing", "weight-element", "weight-scaled", "weight-rolled",
         "weights-in-f16", "element-scaled", "code-off-by-one", "other-scale", "whole-number-off", "other-rounding",
         "limit-dropped", "relu6-for-relu", "relu-for-relu6", "floor-for-trunc", "other-operation", "other-comparison",
         "other-number", "other-axis", "mask-dropped", "slice-off-by-one", "size-baked", "one-size-only",
         "size-of-one", "beyond-a-table", "order-of-sizes", "integer-beyond", "sum-beyond", "rare-limit", "slightly-scaled"]


class Result(NamedTuple):
    model: str
    family: str
    kind: str
    verdict: str
    what: str
    more: str  # what the check says, or for what it does not see, what Jury says

    @property
    def seen(self):
        return self.verdict != "ok"

    @property
    def seen_by_outputs(self):
        return self.verdict not in ("ok", "contents")

    @property
    def is_lie(self):
        return self.seen_by_outputs or not self.far <= 1

    @property
    def far(self):
        """Of what outputs did not show: from the right file, in units of torch's distance from it."""
        return float(self.more)


def judged(options, model, before=()):
    """The results of one model; None where the right file itself is not found right.

    before: results of which those are kept that say that outputs show the lie.
    """
    command = [str(options.program), str(model.path), "--most", str(options.most), *model.words]
    if before:
        with tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False) as only:
            only.writelines(f"{each.kind}\t{each.what}\n" for each in before if not each.seen_by_outputs)
        command += ["--only", only.name]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    child = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    rows = [line.split("\t") for line in child.stdout.splitlines()]
    if child.returncode != 0 or not rows:
        print(f"{model.name}: exit {child.returncode}: {child.stderr.strip()}", flush=True)
        return None
    if rows[0][:2] != ["truth", "ok"]:
        print(f"{model.name}: the right file is {' '.join(rows[0][1:])}", flush=True)
        return None
    new = [Result(model.name, model.family, row[0], row[1], row[2], "\t".join(row[3:])) for row in rows[1:]]
    if not before:
        return new
    Path(only.name).unlink()
    by_lie = {(each.kind, each.what): each for each in new}
    if any((each.kind, each.what) not in by_lie for each in before if not each.seen_by_outputs):
        return judged(options, model)  # other lies are told of it now
    return [each if each.seen_by_outputs else by_lie[each.kind, each.what] for each in before]


def made_models(folder):
    out = []
    for name, family, *words in MADE_MODELS:
        models.make(name, folder)
        out.append(Model(name, family, folder / f"{name}.pt", ("--inputs", str(folder / f"{name}.npz"), *words)))
    return out


def zoo_models():
    out = []
    for family, names in ZOO_MODELS.items():
        for name in names:
            for path in sorted(ZOO.glob(f"{name}.*.pt"))[:1]:
                out.append(Model(name, family, path, ("--inputs", str(ZOO / f"{name}.npz"))))
    return out


def stored(options, model):
    return options.out / (model.name.replace("/", ".") + "." + model.family.replace(" ", "_") + ".tsv")


def results_of(options, model):
    """As the last run left them."""
    path = stored(options, model)
    if not path.exists():
        return []
    rows = [line.split("\t", 3) for line in path.read_text().splitlines()]
    return [Result(model.name, model.family, *row) for row in rows]


def percent(results):
    lies = [result for result in results if result.is_lie]
    return f"{sum(result.seen for result in lies)} / {len(lies)}"


def table(results):
    families = list(dict.fromkeys(result.family for result in results))
    cells = collections.defaultdict(list)
    for result in results:
        cells[result.kind, result.family].append(result)
    lines = [["corruption", *families, "all", "no effect"], ["---"] * (len(families) + 3)]

    def line(kind, of_family, of_all):
        row = [percent(of_family(family)) if of_family(family) else "-" for family in families]
        return [kind, *row, percent(of_all), str(sum(not result.is_lie for result in of_all))]

    for kind in sorted({result.kind for result in results}, key=lambda kind: KINDS.index(kind)):
        lines.append(line(kind, lambda family: cells[kind, family], [r for r in results if r.kind == kind]))
    lines.append(line("all", lambda family: [r for r in results if r.family == family], results))
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


PAGE = """# Corrupted artefacts that a check detects

`tests/lies` corrupts artefacts on purpose. This page reports how many of them `check` detects at its default level: it
rejects them, or its result is inconclusive. `make lies` runs this and writes this page.
[tests/lies](../tests/lies/README.md) explains the kinds of corruption.

**{seen} of {count} corrupted artefacts were detected ({share:.2f} %), over {models} models.** {by_outputs} of them were
detected by their outputs ({share_by_outputs:.2f} %), which holds for files of any exporter. The other {by_contents} were detected
because `check` compares the weights and numbers of a file of this version of t2nnef with a new export.

{true} further files were corrupted without effect. On at least twenty input sets, including those of the check, they are
never further from the original file than torch is (both computed in f64), or they give the same bits in the engine.
They are counted in the last column only. Files that were detected by their outputs were not tested in this way.
{missing}
{table}
{unseen}{no_lies}"""


def listed(results, text):
    return "".join(f"- {r.model}: {r.kind}: {r.what}{text(r)}\n" for r in results)


def page(results, missing):
    lies = [result for result in results if result.is_lie]
    unseen = [result for result in lies if not result.seen]
    true = [result for result in results if not result.is_lie]
    seen = len(lies) - len(unseen)
    by_outputs = sum(result.seen_by_outputs for result in lies)
    how_far = " After each: the largest distance from the original file, in units of torch's own distance.\n\n"
    return PAGE.format(seen=seen, true=len(true), count=len(lies), share=100 * seen / max(len(lies), 1),
                       by_outputs=by_outputs, by_contents=seen - by_outputs, share_by_outputs=100 * by_outputs / max(len(lies), 1),
                       table=table(results),
                       missing=f"\n**Without a result**, because the check does not accept the original file: {', '.join(missing)}.\n" if missing else "",
                       models=len({(r.model, r.family) for r in results}),
                       unseen="Not detected." + how_far + listed(unseen, lambda r: f": {r.far:.3g}") + "\n" if unseen else "",
                       no_lies="Without effect." + how_far + listed(true, lambda r: f": {r.far:.1g}") if true else "")


def test_command(options):
    results, broken = [], []
    for model in MODELS:
        if model.name in TESTED and model.family != "dynamic sizes":
            rows = judged(options, model)
            broken += [] if rows else [model.name]
            results += rows or []
    unseen = [result for result in results if result.is_lie and not result.seen]
    for result in unseen:
        print(f"not seen: {result.model}: {result.kind}: {result.what}")
    print(f"{percent(results)} lies seen")
    return bool(broken or not results or unseen)


def table_command(options):
    options.out.mkdir(parents=True, exist_ok=True)
    made_at = stamp.line()
    all_models = MODELS + made_models(options.out / "models") + zoo_models()

    def run(model):
        before = results_of(options, model) if options.unseen else ()
        rows = judged(options, model, before)
        stored(options, model).unlink(missing_ok=True)
        if rows is None:
            return False
        stored(options, model).write_text("".join("\t".join(row[2:]) + "\n" for row in rows))
        if not before:
            stamp.keep(stored(options, model), made_at)
        print(f"{model.name} ({model.family}): {percent(rows)}", flush=True)
        return True

    chosen = [model for model in all_models if not options.what or model.name in options.what]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        is_whole = all(list(pool.map(run, chosen)))
    results = [result for model in all_models for result in results_of(options, model)]
    print(table(results))
    if options.markdown:
        kept = [stored(options, model) for model in all_models]
        missing = [model.name for model in all_models if not stored(options, model).exists()]
        text = totals.inserted(options.markdown.stem, page(results, missing))
        options.markdown.write_text(stamp.stamped(text, stamp.oldest(kept)))
    return not is_whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["test", "table"])
    parser.add_argument("what", nargs="*")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/tests/t2n_lies")
    parser.add_argument("--out", type=Path, default=ROOT / "build/lies")
    parser.add_argument("--most", type=int, default=6, help="lies of a kind per model")
    parser.add_argument("--unseen", action="store_true", help="judge again only what outputs did not show the last time")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page with the table")
    options = parser.parse_intermixed_args()
    sys.exit({"test": test_command, "table": table_command}[options.command](options))


if __name__ == "__main__":
    main()
