# SPDX-License-Identifier: Apache-2.0
"""Damaged TorchScript files: zip structure, pickles, code; and damaged samples."""
import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "pt2"))
import mutate  # noqa: E402
from case import Case  # noqa: E402
from damage import changed  # noqa: E402

CODE = [b"torch.zeros([1000000000000])", b"ops.aten.save(x, 'marker')", b"torch.expand(x, [1000000000000])",
        b"while True:\n      x = x\n", b"self.forward(x, )", b"torch.empty([0])", b"torch.add(x, 1)", b"-(-9223372036854775808)",
        b"uninitialized(Tensor)", b"annotate(List[Tensor], [])", b"print(x)", b"prim.unchecked_cast(int, x)",
        b"torch.as_strided(x, [1000000], [1000000])", b"CONSTANTS.c999", b"torch.device('cuda:0')"]
OPCODES = bytes(range(0x28, 0x9a))


def pickle(rng, data):
    """Opcodes and numbers of a pickle."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 6])):
        if not out:
            break
        at = rng.randrange(len(out))
        how = rng.randrange(4)
        if how == 0:
            out[at] = rng.choice(OPCODES)
        elif how == 1:
            out[at:at] = rng.choice([b"(", b"]", b"}", b")", b"l", b"h\x00", b"q\x01", b"a", b"e", b"2", b"0",
                                     b"J\xff\xff\xff\x7f", b"X\xff\xff\xff\x7f", b"ctorch\nload\n", b"R", b"]q\x00h\x00a"])
        elif how == 2:
            del out[at:at + rng.choice([1, 2, 8])]
        else:
            out[at:at + 4] = (rng.choice(mutate.NUMBERS) % 2**32).to_bytes(4, "little")
    return bytes(out)


def record(rng, name, content):
    """A record of the archive, by its kind."""
    if name.endswith(".py"):
        return mutate.words(rng, content, CODE) if rng.random() < 0.9 else mutate.any_of(rng, content)
    if name.endswith(".pkl"):
        return pickle(rng, content) if rng.random() < 0.8 else mutate.any_of(rng, content)
    if name.endswith("/version"):
        return rng.choice([b"0", b"-1", b"99", b"", b"3.5", b"x", b"18446744073709551616", b"\x1b[31m"])
    return mutate.any_of(rng, content)


def damaged(rng, seeds):
    """A good model with one thing wrong, under every command that reads one."""
    data, sample = rng.choice(seeds.models)
    how = rng.random()
    if how < 0.2:
        data, kind = mutate.zip_structure(rng, data), "model: zip"
    elif how < 0.3:
        data, kind = mutate.any_of(rng, data), "model: bytes"
    else:
        data, kind = mutate.zip_records(rng, data, record), "model: records"
    given = [] if sample is None else ["-i", sample]
    command = rng.choice([["inspect", "m.pt", *given], ["inspect", "m.pt", "--graph", *given],
                          ["ops", "m.pt", *given], ["export", "m.pt", "-t", "tract", "-o", "o.tgz", *given],
                          ["export", "m.pt", "-t", "khronos", "-o", "o", "--report", "r.json", *given]])
    return Case(kind, command, {"m.pt": data}, focus="m.pt")


def table(rng, name, content):
    """A table of a .pt2 file, or another record."""
    if not name.endswith(".json") or rng.random() < 0.1:
        return mutate.any_of(rng, content)
    text = re.sub(rb'(?<=[ \[])(-?Infinity|NaN)(?=[,\]}])', rb'"\1"', content)
    return json.dumps(changed(json.loads(text), rng)).encode()


def exported(rng, seeds):
    """A good .pt2 file with something wrong, under every command that reads one."""
    data = rng.choice(seeds.exported)
    damaged = mutate.zip_structure(rng, data) if rng.random() < 0.15 else mutate.zip_records(rng, data, table)
    command = rng.choice([["inspect", "m.pt2"], ["ops", "m.pt2"], ["tensors", "m.pt2", "-o", "o.npz"],
                          ["export", "m.pt2", "-t", "tract", "-o", "o.tgz"],
                          ["export", "m.pt2", "-t", "khronos", "-o", "o", "--report", "r.json"]])
    return Case("exported program", command, {"m.pt2": damaged}, focus="m.pt2")


def samples(rng, seeds):
    """Damaged arrays, in front of a good artefact."""
    data = mutate.any_of(rng, seeds.npz) if rng.random() < 0.4 else mutate.zip_structure(rng, seeds.npz) \
        if rng.random() < 0.4 else mutate.zip_records(rng, seeds.npz, header)
    spec = rng.choice(["in.npz", "@in.npz", "x=@in.npz"])
    return Case("samples", ["run", "m.tar", "--engine", "reference", "-i", spec, "-o", "out.npz"],
                {"in.npz": data, "m.tar": seeds.plain}, focus="in.npz")


def header(rng, name, content):
    """The dictionary in an array's header."""
    end = content.find(b"\n") + 1
    text = mutate.words(rng, content[10:end], [b"'|O'", b"'<f8'", b"(9223372036854775807,)", b"True", b"'<V8'"])
    if rng.random() < 0.8:
        text = re.sub(rb"\s*$", b"", text).ljust(end - 11) + b"\n"
    return content[:10] + text + content[end:]
