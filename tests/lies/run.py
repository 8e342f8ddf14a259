"""Wrong artefacts made of right ones, and what a check says of them.

    run.py test                    lies over some fixtures: exit 1 unless all that are expected are seen
    run.py table [NAME...]         over all fixtures and, if it was built, a part of the zoo: the page
                                   docs/lies.md; results stay in --out, a name alone is run again

Seen is a lie that is refused, or that the check calls inconclusive. The others passed as right.
"""

import argparse
import collections
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pages"))
import stamp  # noqa: E402

FIXTURES = ROOT / "fixtures"
ZOO = ROOT / "build/zoo"


class Model(NamedTuple):
    name: str
    family: str
    path: Path
    words: tuple  # further arguments of t2n_lies


def fixture(name, family, *words, file="model.pt", inputs=True):
    npz = FIXTURES / name / "input.npz"
    given = ("--inputs", str(npz)) if inputs else ()
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
    fixture("digits_cnn", "open sizes", "--dynamic", "x:0=B"),
    fixture("transformer_encoder", "open sizes", "--dynamic", "tokens:0=B"),
    fixture("lstm_tagger", "open sizes", "--dynamic", "tokens:1=S"),
]

# Of the zoo: file stems by family, small ones that run in seconds.
ZOO_MODELS = {
    "convolutions": ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "squeezenet1_1",
                     "shufflenet_v2_x0_5", "regnet_x_400mf", "googlenet", "mnasnet1_0", "densenet121"],
    "attention": ["bert", "gpt2", "llama", "distilbert", "t5", "roberta", "deit_tiny_patch16_224", "swin_t",
                  "convnext_tiny", "mixer_s32_224"],
}

# The ctest.
TESTED = ["digits_cnn/model.pt", "control_flow/model.pt", "mixed_dtypes/model.pt", "transformer_encoder/model.pt"]

# What is the truth after all, and why: (fixture, kind, beginning of what was changed).
TRUE_LIES = {
    ("transformer_encoder", "mask-dropped", "encoder_layers_"): "guards rows without any key, which this mask never leaves",
    ("inplace_views", "other-comparison", "gt: "): "both sides are 1 where they differ",
    ("inplace_views", "other-number", "mul: "): "the column is overwritten with zeros",
    ("inplace_views", "slice-off-by-one", "select_slice"): "the column is overwritten with zeros",
    ("inplace_views", "other-number", "masked_fill: "): "what is larger than 0.5 becomes 0.5 afterwards",
    ("inplace_views", "mask-dropped", "masked_fill"): "what is larger than 0.5 becomes 0.5 afterwards",
}


class Result(NamedTuple):
    model: str
    family: str
    kind: str
    verdict: str
    what: str

    @property
    def seen(self):
        return self.verdict != "ok"

    @property
    def truth(self):
        """Why it is no lie, or None."""
        for (fixture, kind, beginning), why in TRUE_LIES.items():
            if self.model.split("/")[0] == fixture and self.kind == kind and self.what.startswith(beginning):
                return why
        return None


def judged(options, model):
    """The results of one model; None where the right file itself is not found right."""
    command = [str(options.program), str(model.path), "--most", str(options.most), *model.words]
    child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    rows = [line.split("\t") for line in child.stdout.splitlines()]
    if child.returncode != 0 or not rows:
        print(f"{model.name}: exit {child.returncode}: {child.stderr.strip()}", flush=True)
        return None
    if rows[0][:2] != ["truth", "ok"]:
        print(f"{model.name}: the right file is {' '.join(rows[0][1:])}", flush=True)
        return None
    return [Result(model.name, model.family, row[0], row[1], "\t".join(row[2:])) for row in rows[1:]]


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
    rows = [line.split("\t", 2) for line in path.read_text().splitlines()]
    return [Result(model.name, model.family, *row) for row in rows]


def percent(results):
    seen = sum(result.seen for result in results)
    return f"{seen} / {len(results)}"


def table(results):
    families = list(dict.fromkeys(result.family for result in results))
    cells = collections.defaultdict(list)
    for result in results:
        cells[result.kind, result.family].append(result)
    lines = [["lie", *families, "all"], ["---"] * (len(families) + 2)]
    for kind in dict.fromkeys(result.kind for result in results):
        row = [percent(cells[kind, family]) if cells[kind, family] else "-" for family in families]
        lines.append([kind, *row, percent([r for r in results if r.kind == kind])])
    lines.append(["all", *(percent([r for r in results if r.family == f]) for f in families), percent(results)])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


PAGE = """# Lies

Wrong artefacts, made of right ones by `tests/lies`, and how many of them `check` sees at its default: refuses, or
calls inconclusive. `make lies` runs this and writes this page. Kinds are explained in
[tests/lies](../tests/lies/README.md).

**{seen} of {count} lies were seen ({share:.1f} %), over {models} models; {true} of the others are no lies.**

{table}
{unseen}"""


def page(results):
    unseen = [result for result in results if not result.seen]
    text = "".join(f"- {r.model}: {r.kind}: {r.what}{f' (no lie: {r.truth})' if r.truth else ''}\n" for r in unseen)
    seen = len(results) - len(unseen)
    return PAGE.format(seen=seen, true=sum(bool(result.truth) for result in unseen), count=len(results), share=100 * seen / max(len(results), 1),
                       table=table(results),
                       models=len({(r.model, r.family) for r in results}),
                       unseen=f"Not seen:\n\n{text}" if unseen else "")


def test_command(options):
    results, broken = [], []
    for model in MODELS:
        if model.name in TESTED and model.family != "open sizes":
            rows = judged(options, model)
            broken += [] if rows else [model.name]
            results += rows or []
    unseen = [result for result in results if not result.seen and not result.truth]
    for result in unseen:
        print(f"not seen: {result.model}: {result.kind}: {result.what}")
    print(f"{len(results) - len(unseen)} of {len(results)} lies seen")
    return bool(broken or not results or unseen)


def table_command(options):
    options.out.mkdir(parents=True, exist_ok=True)
    made_at = stamp.line()
    results, broken = [], []
    for model in MODELS + zoo_models():
        if not options.what or model.name in options.what:
            rows = judged(options, model)
            if rows is None:
                broken.append(model.name)
                stored(options, model).unlink(missing_ok=True)
                continue
            stored(options, model).write_text("".join(f"{r.kind}\t{r.verdict}\t{r.what}\n" for r in rows))
            stamp.keep(stored(options, model), made_at)
            print(f"{model.name} ({model.family}): {percent(rows)}", flush=True)
        results += results_of(options, model)
    print(table(results))
    if options.markdown:
        kept = [stored(options, model) for model in MODELS + zoo_models()]
        options.markdown.write_text(stamp.stamped(page(results), stamp.oldest(kept)))
    return bool(broken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["test", "table"])
    parser.add_argument("what", nargs="*")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/tests/t2n_lies")
    parser.add_argument("--out", type=Path, default=ROOT / "build/lies")
    parser.add_argument("--most", type=int, default=3, help="lies of a kind per model")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page with the table")
    options = parser.parse_intermixed_args()
    sys.exit({"test": test_command, "table": table_command}[options.command](options))


if __name__ == "__main__":
    main()
