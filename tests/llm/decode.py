# SPDX-License-Identifier: Apache-2.0
"""The character model, exported with --preset causal-llm and decoded as tract's client causal_llm does.

    decode.py --program build/t2nnef

The client asks tract to find the caches, makes them inputs and outputs again, begins with empty ones, and feeds
prompts in one piece or in chunks, then token by token. 200 tokens have to be those of torch.jit.load, and the
engine's profile has to show its own forms of rotary positions, norms, activations and attention. Needs the engine of
the default target, as a Python package: exit 77 without it, unless T2NNEF_REQUIRE_ENGINE is set.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "fixtures" / "char_lm"
PROMPT, TOKENS, CHUNK = 24, 200, 7
FUSED = ("ApplyRope", "RmsNorm", "Silu", "FlashSDPA")


def find_tract():
    """Makes `import tract` give the engine that tests use."""
    library = os.environ.get("T2NNEF_TRACT_LIB", "").split(":")[0]
    if library:
        sys.path.insert(0, str(Path(library).parents[1]))
    try:
        import tract  # noqa: F401
    except ImportError as error:
        print(f"no tract to decode with: {error}")
        sys.exit(1 if os.environ.get("T2NNEF_REQUIRE_ENGINE") else 77)


class Client:
    """What causal_llm does with a file: no name of an input or output counts, only their order."""

    def __init__(self, path):
        import tract

        model = tract.nnef().with_tract_transformers().load(str(path))
        model.transform("transformers_detect_all")
        logits = model.output_count()
        model.transform("unfold-kv-cache")
        assert logits == 1, f"{logits - 1} caches were not found"
        tokens = str(model.input_fact(0)).split(",")
        self.empty = []
        for i in range(1, model.input_count()):
            *dims, kind = str(model.input_fact(i)).split(",")
            axes = [d for d in dims if not d.isdecimal() and d not in tokens]
            assert len(axes) == 1 and kind in ("f32", "f16"), f"input {i} is no cache: {dims}"
            shape = [0 if d in axes else 1 if d in tokens and not d.isdecimal() else int(d) for d in dims]
            self.empty.append(np.zeros(shape, {"f32": np.float32, "f16": np.float16}[kind]))
        self.model = model.into_runnable()

    def operators(self):
        """Names of the operations that the engine runs, by its own profile."""
        return self.model.profile_json([np.zeros((1, 3), dtype=np.int64), *self.empty])

    def decode(self, prompt, count, chunk):
        caches, todo, out = self.empty, list(prompt), []
        while len(out) < count:
            for begin in range(0, len(todo), chunk):
                tokens = np.array([todo[begin:begin + chunk]], dtype=np.int64)
                logits, *caches = (each.to_numpy() for each in self.model.run([tokens, *caches]))
            todo = [int(logits.reshape(-1, logits.shape[-1])[-1].argmax())]
            out += todo
        return out


def in_torch(path, prompt, count):
    model = torch.jit.load(str(path))
    caches = [torch.zeros(1, 4, 0, 32)] * 10
    todo, out = list(prompt), []
    with torch.no_grad(), torch.jit.optimized_execution(False):  # each length would be optimised anew
        while len(out) < count:
            logits, *caches = model(torch.tensor([todo]), *caches)
            todo = [int(logits[0, -1].argmax())]
            out += todo
    return out


def export(program, model, output, more):
    command = [program, "export", str(model), "--target", "tract", "--preset", "causal-llm", "-q", "-o", str(output)]
    subprocess.run([*command, *more], check=True)
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    find_tract()
    torch.set_num_threads(1)
    prompt = np.load(FIXTURE / "input.npz")["ids"][0, :PROMPT].tolist()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cached = folder / "cached.pt"
        subprocess.run([sys.executable, "make.py", "--cached", str(cached)], cwd=FIXTURE, check=True)
        expected = in_torch(cached, prompt, TOKENS)
        assert len(set(expected)) > 10, "the model says too little for a test"
        for name, count in {"f32": TOKENS, "f16": TOKENS // 20, "q4_0": TOKENS // 20}.items():
            more = [] if name == "f32" else ["--compress", name]
            client = Client(export(options.program, cached, folder / f"{name}.nnef.tgz", more))
            whole, pieces = client.decode(prompt, count, PROMPT), client.decode(prompt, min(count, TOKENS // 10), CHUNK)
            same = next((i for i in range(count) if whole[i] != expected[i]), count)
            print(f"{name}: {same} of {count} tokens are torch's, chunks of {CHUNK} "
                  f"{'give the same' if whole[: len(pieces)] == pieces else 'differ'}")
            run = client.operators() if name == "f32" else ""  # the engine takes its time for a profile
            missing = [form for form in FUSED if run and form not in run]
            if missing:
                print(f"{name}: the engine does not run {', '.join(missing)}")
            if missing or whole[: len(pieces)] != pieces or (name != "q4_0" and same < count):
                failures.append(name)
    if failures:
        sys.exit(f"failed: {', '.join(failures)}")


if __name__ == "__main__":
    main()
