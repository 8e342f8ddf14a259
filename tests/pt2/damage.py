# SPDX-License-Identifier: Apache-2.0
"""Changes values in the tables of .pt2 files, one or a few at a time; each must be refused or export, and nothing else.

    damage.py [--program build/t2nnef] [--count 200] [--seed 1] FILE.pt2...
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fork_server"))
import fork_server  # noqa: E402

VALUES = [None, True, -1, 0, 1, 2**40, 2**63 - 1, -(2**63), 1.5, "", "x", "Infinity", "../../etc/passwd", [], {}, [[]], {"as_int": 3},
          {"as_expr": {"expr_str": "Symbol('s'"}}, {"as_tensor": {"name": "x"}}, "torch.ops.aten.save.default",
          "torch.ops.aten.from_file.default", "torch.ops.prim.PythonOp.default", "torch.ops.aten.add.Tensor", "weight_0"]


def places(value, path=()):
    """All places of a table, as paths."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, element in items:
        yield from places(element, (*path, key))


def changed(table, generator):
    table = json.loads(json.dumps(table))
    for _ in range(generator.choice((1, 1, 1, 3))):
        everywhere = [place for place in places(table) if place]
        if not everywhere:
            break
        *way, last = generator.choice(everywhere)
        parent = table
        for key in way:
            parent = parent[key]
        kind = generator.randrange(4)
        if kind == 0:
            del parent[last]
        elif kind == 1:
            other = table
            for key in generator.choice(everywhere):
                other = other[key]
            parent[last] = json.loads(json.dumps(other))
        else:
            parent[last] = generator.choice(VALUES)
    return table


def damaged(source, target, generator):
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as out:
        tables = [name for name in archive.namelist() if name.endswith(".json")]
        chosen = generator.choice([*tables, *[name for name in tables if "/models/" in name] * 4])
        for info in archive.infolist():
            data = archive.read(info)
            if info.filename == chosen:
                data = json.dumps(changed(json.loads(data), generator)).encode()
            out.writestr(info.filename, data)


def fault(program, file, folder):
    """What is wrong with the end of an export, or None."""
    try:
        result = fork_server.run([program, "export", file, "--target", "tract", "-q", "-o", folder / "out", "--timeout", "60"], 120)
    except subprocess.TimeoutExpired:
        return "no end"
    if result.returncode in (0, 2, 3, 4, 6) and (result.returncode == 0 or re.search(r"error\[[a-z0-9-]+\]", result.stderr)):
        return None
    return f"exit {result.returncode}: {result.stderr[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--program", default="build/t2nnef")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number in range(options.seed, options.seed + options.count):
            generator = random.Random(number)
            file = folder / "damaged.pt2"
            damaged(generator.choice(options.files), file, generator)
            if found := fault(options.program, file, folder):
                bad += 1
                print(f"{number}: {found}", flush=True)
                if options.keep:
                    file.rename(options.keep / f"{number}.pt2")
    print(f"{options.count - bad} of {options.count} refused, or exported")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
