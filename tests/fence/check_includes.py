# SPDX-License-Identifier: Apache-2.0
"""Compares every #include with the table of what each folder may include (STYLE §2). Each folder has a row in
docs/architecture.md, and the rooms of src/frontend and src/eval hold only what needs torch.

usage: check_includes.py SOURCE_DIR
"""
import pathlib
import re
import sys

# Folder: the folders that it may include directly, itself aside. Lower layers come first.
BASE = {"src/diag", "src/limits", "src/confine"}
IR = BASE | {"ir"}
MODEL = {"src/model"}  # what the caller of dlopen needs
NNEF = IR | {"src/nnef", "nnef_writer"}
SPEC = NNEF | {"src/spec", "src/target"}
LOAD = IR | MODEL | {"src/model_file", "src/frontend/load", "src/extend"}
NUMBERS = LOAD | {"src/loops", "src/frontend/numbers"}
RECORD = NUMBERS | {"src/frontend/record"}
COMPRESS = IR | {"src/passes", "src/compress", "src/compress/settings"}
# What the families of operators say: translations, and the columns of other folders.
BOOK = NNEF | {"src/shapes", "src/target", "src/draft", "src/translate", "src/tract_forms/body_sizes.h"}
ROOMS = {f"ops/{room}" for room in ("pointwise", "structure", "reduction", "matrix", "indexing", "layers", "signal")}
ALLOWED = {
    "src/diag": set(),
    "src/limits": {"src/diag", "src/confine"},
    "src/confine": {"src/diag"},
    "ir": BASE,
    "src/tract_forms/sizes": IR,
    "src/nnef": IR | {"src/tract_forms/sizes"},
    "nnef_writer": IR | {"src/nnef", "src/tract_forms/sizes"},
    "src/spec": NNEF | {"src/target", "src/tract_forms/sizes"},
    "src/target": BASE,
    "src/draft": NNEF,
    "src/tract_forms": NNEF | {"src/tract_forms/sizes", "src/target", "src/draft"},
    "src/nnef_ops": SPEC | {"src/target", "src/draft"},
    "src/lint": SPEC | {"src/nnef_ops", "src/tract_forms/sizes", "src/tract_forms/outside.h"},
    "src/strict": SPEC | {"src/target", "src/draft", "src/nnef_ops"},
    "src/stream": SPEC | {"src/target", "src/draft", "src/nnef_ops"},
    "src/extend": SPEC | {"src/lint"},
    "src/shapes": IR,
    "src/translate": SPEC | {"src/shapes", "src/target", "src/draft", "src/tract_forms", "src/tract_forms/sizes", "src/lint", "src/strict",
                             "src/stream", "src/extend"},
    "ops": BOOK | ROOMS,
    "ops/pointwise": BOOK,
    "ops/structure": BOOK | {"ops/pointwise"},
    "ops/reduction": BOOK | {"ops/pointwise", "ops/structure"},
    "ops/matrix": BOOK | {"ops/pointwise", "ops/structure"},
    "ops/indexing": BOOK | {"ops/pointwise", "ops/structure", "ops/reduction"},
    "ops/layers": BOOK | {"ops/pointwise", "ops/structure", "ops/reduction"},
    "ops/signal": BOOK | {"ops/pointwise", "ops/structure"},
    "src/passes": IR,
    "src/complex": IR | {"src/passes"},
    "src/loops": IR | {"src/passes"},
    "src/quant": IR | {"src/passes"},
    "src/quant_lint": IR,
    "src/compress/settings": IR,
    "src/compress": IR | {"src/passes", "src/compress/settings"},
    "src/compress/calibrate": COMPRESS,
    "src/compress/round": COMPRESS | {"src/compress/calibrate", "src/target"},
    "src/compress/explain": COMPRESS | {"src/compress/calibrate", "src/compress/round", "src/quant_lint"},
    "src/tract": IR,
    "src/diff": SPEC,
    "src/report": SPEC | {"src/diff", "src/lint", "src/nnef_ops", "src/quant_lint"},
    "src/picture": SPEC | {"src/lint", "src/nnef_ops"},
    "src/config": IR | {"src/passes", "src/compress/settings"},
    "src/interp": SPEC | {"src/frontend/load", "src/extend", "src/model/extension.h"},
    "src/model": IR | {"src/tract"},
    "src/model_file": IR,
    "src/frontend/load": IR | MODEL | {"src/model_file", "src/extend"},
    "src/pt2": IR | {"src/model_file"},
    "src/frontend/pt2": LOAD | {"src/pt2"},
    "src/frontend/numbers": LOAD | {"src/loops"},
    "src/frontend/state": LOAD | {"src/frontend/numbers"},
    "src/frontend/record": NUMBERS,
    "src/frontend/loops": RECORD,
    "src/frontend/run": RECORD | {"src/frontend/state", "src/frontend/loops"},
    "src/frontend/session": RECORD | {"src/frontend/state", "src/frontend/run", "src/frontend/pt2"},
    "src/eval": LOAD | {"src/frontend/run", "src/frontend/session", "src/compress/round/q4_0.h"},
    "src/dynamic": IR | MODEL | {"src/shapes"},
    "src/samples": SPEC | MODEL | {"src/dynamic"},
    "src/check": SPEC | MODEL | {"src/samples", "src/dynamic", "src/passes", "src/quant", "src/target", "src/diff",
                                 "src/tract", "src/interp/interp.h", "src/extend"},
}
ALLOWED["src/localise"] = ALLOWED["src/check"] | {"src/check"}
# Their code is in libt2nnef_torch.so, which the others load.
WITH_TORCH = ("src/frontend/", "src/eval", "src/interp")
ALLOWED["src/export"] = ({name for name in ALLOWED if not name.startswith(WITH_TORCH)} - ROOMS) | {"src/interp/interp.h"}
ALLOWED["src/reduce"] = ALLOWED["src/export"] | {"src/export"}
ALLOWED["cli/screen"] = IR | MODEL | {"src/report", "src/export"}
ALLOWED["cli/options"] = ALLOWED["src/reduce"] | {"cli/screen"}
ALLOWED["cli"] = ALLOWED["src/reduce"] | {"src/reduce", "cli/options", "cli/screen"}
ALLOWED["tests"] = ALLOWED["cli"] | {"tests", "src/frontend/numbers"}

# Headers that are no interface of their folder, and the only places outside of it that may include them.
PRIVATE = {
    "src/translate/emitter_state.h": (),
    "src/translate/emitter_body.h": ("ops/layers/scan.cpp",),
}

TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
# Third-party headers: the only places that may include them.
THIRD_PARTY = {
    TORCH.pattern: (*WITH_TORCH, "tests/frontend/numbers/", "tests/extend/"),
    r"CLI/": ("cli/",),
    r"nlohmann/": ("src/pt2/", "src/report/", "src/picture/", "tests/picture/", "src/config/", "src/export/report"),
    r"archive(_entry)?\.h$": ("nnef_writer/", "src/nnef/"),
    r"zlib\.h$": ("nnef_writer/", "src/nnef/"),
    r"isa-l/": ("nnef_writer/", "src/model_file/"),
    r"doctest/": ("tests/",),
    r"rapidcheck": ("tests/",),
}
# Folders for what needs torch: other files belong elsewhere.
NEEDS_TORCH = [folder for folder in ALLOWED if folder.startswith(WITH_TORCH[:2])]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The innermost folder around a file that has a row."""
    around = [str(folder) for folder in pathlib.PurePosixPath(path).parents]
    return next((folder for folder in around if folder in ALLOWED), around[0])


def problem(path, quote, header):
    """Says what is wrong with one #include of the file `path`, or None."""
    if quote == "<":
        for pattern, places in THIRD_PARTY.items():
            if re.match(pattern, header) and not path.startswith(places):
                return f"belongs in {' '.join(places)} only"
        return None
    own, other = folder_of(path), folder_of(header)
    if other not in ALLOWED:
        return "names no folder of the project; include paths start at the root of the tree"
    if other != own and header in PRIVATE and path not in PRIVATE[header]:
        return f"{header} is private to {other}"
    if header in PRIVATE and path.endswith(".h"):
        return f"{header} is private to {other}, and a header would pass it on"
    if other != own and not {other, header} & ALLOWED[own]:
        return f"{own} may include {' '.join(sorted(ALLOWED[own])) or 'nothing else'}"
    return None


def includes(file):
    """(line number, line, quote, header) of each #include."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, line.strip(), *match.groups()


def circles(root):
    """Folders that include each other, by way of others or not: a list of sets."""
    arrows = {}
    for folder in ALLOWED:
        files = (file for file in (root / folder).rglob("*") if file.suffix in (".h", ".cpp"))
        files = (file for file in files if folder_of(file.relative_to(root).as_posix()) == folder)
        headers = (header for file in files for _, _, quote, header in includes(file) if quote == '"')
        arrows[folder] = {folder_of(header) for header in headers} - {folder}
    changed = True
    while changed:  # what only points down, or is only pointed at, is in no circle
        free = [folder for folder, to in arrows.items() if not to & set(arrows)]
        free += [folder for folder in arrows if not any(folder in to for to in arrows.values())]
        changed = bool(free)
        for folder in free:
            arrows.pop(folder, None)
    return [set(arrows)] if arrows else []


def reaches_torch(root, path, seen):
    """Whether a file includes a header of torch, by way of any other."""
    if path in seen or not (root / path).exists():
        return False
    seen.add(path)
    for _, _, quote, header in includes(root / path):
        if TORCH.match(header) if quote == "<" else reaches_torch(root, header, seen):
            return True
    return False


def without_torch(root):
    """Files that stand in the wrong folder: neither they nor their other half, header or source, see torch."""
    for folder in NEEDS_TORCH:
        stems = {file.with_suffix("") for file in (root / folder).iterdir() if file.suffix in (".h", ".cpp")}
        for stem in sorted(stem.relative_to(root).as_posix() for stem in stems):
            if not any(reaches_torch(root, stem + suffix, set()) for suffix in (".h", ".cpp")):
                yield stem


def main():
    root = pathlib.Path(sys.argv[1])
    bad = files = 0
    described = re.findall(r"^\| `([\w/]+)` \|", (root / "docs/architecture.md").read_text(encoding="utf-8"), re.M)
    for folder in sorted(set(ALLOWED) - set(described)):
        print(f"docs/architecture.md: no row says what {folder} owns")
        bad += 1
    for stem in without_torch(root):
        print(f"{stem}: does not need torch, and belongs in another folder")
        bad += 1
    for file in sorted(f for top in {f.split("/")[0] for f in ALLOWED} for f in (root / top).rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        files += 1
        path = file.relative_to(root).as_posix()
        if folder_of(path) not in ALLOWED:
            sys.exit(f"{path}: folder {folder_of(path)} has no row in tests/fence/check_includes.py")
        for number, line, quote, header in includes(file):
            if text := problem(path, quote, header):
                print(f"{path}:{number}: {line}: {text}")
                bad += 1
    print(f"{files} files, {bad} problems")
    sys.exit(bad > 0 or files == 0)


if __name__ == "__main__":
    main()
