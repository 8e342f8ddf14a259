# SPDX-License-Identifier: Apache-2.0
"""Compares the lengths of headers, sources, Python files and C++ functions with the house rules (STYLE §8).

usage: check_sizes.py SOURCE_DIR

What is longer stands in sizes.txt with its length, which may shrink and not grow: `file lines` or
`file:function lines`. Tables are no functions: `register_…`, `…_table`, `rows`,
`rules`, `diagnostic_ids`.
"""
import pathlib
import re
import sys

MOST = {".cpp": 400, ".h": 120, ".py": 400, "function": 60}
FOLDERS = ["bench", "cli", "fixtures", "ir", "nnef_writer", "ops", "packaging", "python", "src", "tests"]
NO_FUNCTION = re.compile(r"^\s*(namespace|class|struct|enum|union|if|for|while|switch|do|else|try|case|default|return|extern)\b")
LAMBDA = re.compile(r"\[(?:[&=]|this|\w)*[^\]\"]*\]\s*(?:\(|\{)")
TABLE = re.compile(r"(^|::)register_\w*$|_table$|^(rows|rules|diagnostic_ids)$")


def functions(lines):
    """(name, length) of each definition, by the indentation that clang-format gave it."""
    for number, line in enumerate(lines):
        if line.endswith("{") and not line.lstrip().startswith(("#", "//")):
            first = number
            # The signature may begin lines before: at the same indentation, after the last statement.
            while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:]$|^\s*//|^#|>$", lines[first - 1]):
                first -= 1
            head = " ".join(text.strip() for text in lines[first:number + 1])
            indent = len(lines[first]) - len(lines[first].lstrip())
            if indent > 2 or "(" not in head or NO_FUNCTION.match(head) or LAMBDA.search(head):
                continue
            end = next((i for i in range(number + 1, len(lines)) if lines[i].startswith(" " * indent + "}")), number)
            name = re.search(r"([~\w:]+(?:<.*?>)?(?:operator\S+)?)\s*\(", head)
            yield (name.group(1) if name else head), end - first + 1


def too_long(root):
    """{`file` or `file:function`: its length} of what is longer than the rule."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".py"):
                continue
            file = path.relative_to(root).as_posix()
            lines = [line for line in path.read_text().splitlines() if "SPDX-License-Identifier" not in line]
            if len(lines) > MOST[path.suffix]:
                found[file] = len(lines)
            for name, length in functions(lines) if path.suffix != ".py" else ():
                if length > MOST["function"] and not TABLE.search(name):
                    found[f"{file}:{name}"] = length
    return found


def known(path):
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(length) for name, length in lines}


def main():
    root = pathlib.Path(sys.argv[1])
    found, allowed = too_long(root), known(pathlib.Path(__file__).parent / "sizes.txt")
    bad = 0
    for name, length in sorted(found.items()):
        if length > allowed.get(name, 0):
            print(f"{name}: {length} lines: split it by what it does")
            bad += 1
        elif length < allowed[name]:
            print(f"{name} is shorter: write {length} in sizes.txt, so that it stays so")
            bad += 1
    for name in sorted(set(allowed) - set(found)):
        print(f"{name} is short enough now: take it out of sizes.txt")
        bad += 1
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
