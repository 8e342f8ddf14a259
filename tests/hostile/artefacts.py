# SPDX-License-Identifier: Apache-2.0
"""Damaged artefacts, artefacts of a single operation with odd arguments, and ones that grow."""
import pathlib
import re
import struct

import mutate
from case import Case

ROOT = pathlib.Path(__file__).resolve().parents[2]
REGISTRIES = "".join(f"extension tract_registry {name};\n" for name in
                     ("tract_core", "tract_onnx", "tract_pulse", "tract_extra", "tract_transformers"))
INTEGERS = [0, 1, 2, 3, 5, -1, -2, 7, 100, 65536, 1000000000, 2**31 - 1, -2**31, 2**32, 2**62, 2**63 - 1,
            -2**63]
STRANGE = [b"external<scalar>(shape = [1000000000])", b"variable<scalar>(label = '../x', shape = [1])",
           b"for i in range_of([1,2,3]) yield i", b"x + x", b"inf", b"true", b"length_of(x)"]


def declarations():
    """Operations as (name, parameters with types, number of results)."""
    out = []
    for file in ("standard.nnef", "tract.nnef"):
        text = re.sub(r"#.*", "", (ROOT / "src/spec" / file).read_text())
        for name, parameters, results in re.findall(
                r"fragment\s+(\w+)(?:<[^>]*>)?\s*\((.*?)\)\s*->\s*\((.*?)\)\s*;", text, re.S):
            pairs = re.findall(r"(\w+)\s*:\s*((?:\([^)]*\)|tensor<[^>]*>|[\w?]+)(?:\[\])*)", parameters)
            out.append((file == "tract.nnef", name, pairs, max(1, len(re.findall(r":", results)))))
    return out


DECLARATIONS = declarations()
VARIABLES = {"scalar": b"f32", "integer": b"i64", "logical": b"bool"}


def dat(rng, shape, kind="f32"):
    """A tensor file: a header of 128 bytes, and values."""
    count = 1
    for size in shape:
        count *= size
    bits = {"f32": 32, "i64": 64, "bool": 8}[kind]
    code = {"f32": 0, "i64": 3, "bool": 5}[kind]
    header = bytearray(128)
    struct.pack_into("<BBBBII", header, 0, 0x4e, 0xef, 1, 0, count * bits // 8, len(shape))
    struct.pack_into("<8I", header, 12, *(list(shape) + [0] * 8)[:8])
    struct.pack_into("<II", header, 44, bits, code)
    return bytes(header) + bytes(rng.randrange(256) for _ in range(count * bits // 8))


def argument(rng, kind, tensors):
    """A value for a parameter of this type, or of another."""
    if rng.random() < 0.05:
        kind = rng.choice(["integer", "string", "logical", "tensor<scalar>", "integer[]", "scalar"])
    if kind.endswith("[]"):
        count = rng.choice([0, 1, 1, 2, 2, 3, 4, 5, 9])
        return "[" + ", ".join(argument(rng, kind[:-2], tensors) for _ in range(count)) + "]"
    if kind.startswith("tensor"):
        return rng.choice(tensors + ["1.0", "0", "[]"] if rng.random() < 0.2 else tensors)
    if kind.startswith("("):
        parts = [p.strip() for p in kind[1:-1].split(",")]
        return "(" + ", ".join(argument(rng, p, tensors) for p in parts) + ")"
    if kind == "integer":
        return str(rng.choice(INTEGERS[:6] if rng.random() < 0.7 else INTEGERS))
    if kind == "scalar":
        return rng.choice(["0.0", "1.0", "-1.0", "0.5", "1e30", "inf", "2.0"])
    if kind == "logical":
        return rng.choice(["true", "false"])
    return "'" + rng.choice(["constant", "same", "f32", "i64", "i32", "f16", "bool", "symmetric", "nearest",
                             "asymmetric", "full", "sum", "mn,nk->mk", "ij,jk->", "", "linear", "none", "add",
                             "replicate", "reflect", "reflect-even", "valid", "ignore"]) + "'"


def single_operation(rng):
    """An artefact of one operation, its operands inputs or variables of odd shapes."""
    is_tract, name, parameters, results = rng.choice(DECLARATIONS)
    lines, files, inputs = [], [], []
    for number in range(rng.choice([1, 2, 2, 3, 4])):
        shape = [rng.choice([0, 1, 1, 2, 2, 3, 4, 5]) for _ in range(rng.choice([0, 1, 2, 2, 3, 4, 4, 5]))]
        kind = rng.choice(["scalar", "scalar", "integer", "logical"])
        tensor = f"x{number}"
        text = "[" + ", ".join(map(str, shape)) + "]"
        if is_tract and rng.random() < 0.4:
            dtype = rng.choice(["f32", "f16", "f64", "i8", "u8", "i32", "i64", "bool"])
            lines.append(f"{tensor} = tract_core_external(shape = {text}, datum_type = '{dtype}');")
            inputs.append(tensor)
        elif rng.random() < 0.6:
            lines.append(f"{tensor} = external<{kind}>(shape = {text});")
            inputs.append(tensor)
        else:
            lines.append(f"{tensor} = variable<{kind}>(label = '{tensor}', shape = {text});")
            files.append((f"{tensor}.dat", dat(rng, shape, VARIABLES[kind].decode())))
    tensors = [line.split(" ", 1)[0] for line in lines]
    given = [f"{parameter} = {argument(rng, kind, tensors)}" for parameter, kind in parameters
             if kind.startswith("tensor") or rng.random() < 0.7]
    outputs = [f"y{i}" for i in range(results)]
    left = outputs[0] if results == 1 else "(" + ", ".join(outputs) + ")"
    if results == 1 and rng.random() < 0.1:
        left = "[y0, y1]"
        outputs = ["y0", "y1"]
    lines.append(f"{left} = {name}({', '.join(given)});")
    head = "version 1.0;\n" + (REGISTRIES if is_tract else "")
    body = "\n".join("    " + line for line in lines)
    text = f"{head}graph net({', '.join(inputs)}) -> ({', '.join(outputs)})\n{{\n{body}\n}}\n"
    return Case("one operation", ["run", "m.tar", "--engine", "reference"],
                {"m.tar": mutate.tarred([("graph.nnef", text.encode()), *files])}, focus="m.tar")


def growing(rng):
    """A few lines that ask for much: repetition of arrays, texts, fragments, tensors, depth."""
    n = rng.choice([10, 24, 40, 80])
    how = rng.randrange(7)
    head, lines = "version 1.0;\n", ["x = external<scalar>(shape = [1, 4]);"]
    if how == 0:
        lines += ["a0 = [1.0];"] + [f"a{i} = a{i - 1} + a{i - 1};" for i in range(1, n)]
    elif how == 1:
        lines += ["a0 = ['a'];"] + [f"a{i} = [a{i - 1}, a{i - 1}];" for i in range(1, n)]
    elif how == 2:
        lines += ["a0 = 'a';"] + [f"a{i} = a{i - 1} + a{i - 1};" for i in range(1, n)]
    elif how == 3:
        calls = "".join(f"fragment f{i}(x: tensor<scalar>) -> (y: tensor<scalar>) {{ a = f{i - 1}(x); "
                        f"y = f{i - 1}(a); }}\n" for i in range(1, n))
        head += "extension KHR_enable_fragment_definitions;\n" + \
            "fragment f0(x: tensor<scalar>) -> (y: tensor<scalar>) { y = neg(x); }\n" + calls
        lines.append(f"a = f{n - 1}(x);")
    elif how == 4:
        factor = rng.choice([10, 1000, 10**6, 10**12])
        lines += ["a0 = x;"] + [f"a{i} = tile(a{i - 1}, repeats = [{factor}, {rng.choice([1, 10])}]);"
                                for i in range(1, 6)]
    elif how == 5:
        lines.append("a = " + "[" * (50 * n) + "1" + "]" * (50 * n) + ";")
    else:
        lines.append("a = [for i in range_of([" + "1," * 1000 + "1]) yield [for j in range_of(["
                     + "1," * 1000 + "1]) yield [for k in range_of([" + "1," * 1000 + "1]) yield k]]];")
    body = "\n".join(lines)
    text = f"{head}graph net(x) -> (y)\n{{\n{body}\ny = neg(x);\n}}\n"
    command = rng.choice([["run", "m.tar", "--engine", "reference"], ["inspect", "m.tar"],
                          ["diff", "m.tar", "m.tar"]])
    return Case("growing", command, {"m.tar": mutate.tarred([("graph.nnef", text.encode())])}, focus="m.tar")


def edited(rng, name, content):
    if name.endswith(".dat"):
        return mutate.any_of(rng, content)
    return mutate.words(rng, content, STRANGE) if rng.random() < 0.9 else mutate.any_of(rng, content)


def damaged(rng, seeds):
    """A good artefact with one thing wrong, under every command that reads one."""
    members = list(rng.choice(seeds.artefacts))
    how = rng.randrange(10)
    at = rng.randrange(len(members))
    if how == 0:
        del members[at]
    elif how == 1:
        name = rng.choice(["../up", "/abs", "a/../../b", "graph.nnef", "x" * 200, "a\x1b[31mb.dat"])
        members.append((name, members[at][1]))
    else:
        at = 0 if rng.random() < 0.6 else at
        members[at] = (members[at][0], edited(rng, *members[at]))
    data = mutate.tarred(members)
    if how == 2:
        data = mutate.mended(mutate.any_of(rng, data))
    if rng.random() < 0.2:
        data = mutate.gzipped(data)
        if rng.random() < 0.5:
            data = mutate.any_of(rng, data)
    good = mutate.tarred(rng.choice(seeds.artefacts))
    command = rng.choice([["run", "m.tar", "--engine", "reference"], ["run", "m.tar", "--engine", "reference"],
                          ["inspect", "m.tar"], ["inspect", "m.tar", "--json"], ["inspect", "m.tar", "--graph"],
                          ["diff", "m.tar", "n.tar"], ["diff", "n.tar", "m.tar", "--names"],
                          ["diff", "m.tar", "n.tar", "--json"]])
    return Case("artefact", command, {"m.tar": data, "n.tar": good}, focus="m.tar")
