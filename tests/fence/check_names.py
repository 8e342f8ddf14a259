# SPDX-License-Identifier: Apache-2.0
"""Says which private names a folder defines twice: its sources are compiled in batches, several as one text.

usage: check_names.py SOURCE_DIR

A private name is a function, type, alias or constant of an anonymous namespace. Overloads within one file are one name.
Aliases of namespaces, and `using` of the same text, may stand in several files. Nor may a private name be one that a
header declares which the folder includes: in the same namespace it would overload that one in the other files of its
batch, from an enclosing one it would hide it there. Folders that are compiled together count as one, but for names of
different namespaces.
"""
import collections
import functools
import pathlib
import re
import sys

# Folders of tests whose sources are programs, or have namespaces, of their own.
PROGRAMS = {"tests/ops", "tests/fuzz"}
# Sources that are compiled with those of another folder.
GUESTS = {"tests/nnef": ["tests/fuzz/entries.cpp"], "tests/lies": ["tests/support/temporary.cpp"]}
FOLDER = re.compile(r"^\s*t2n_folder\(\s*([\w/]+)", re.M)
TOGETHER = re.compile(r"^\s*t2n_together\(([\w\s]+)\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# Comments, strings, characters and lines of the preprocessor.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^[ ]*#(?:\\\n|[^\n])*',
    re.S | re.M)
NAMESPACE = re.compile(r"(?:inline )?namespace\b ?([\w:]*)$")
NO_NAME = re.compile(r"$|namespace\b|using namespace\b|static_assert\b|extern\b|catch\b|template (?!<)|TEST_CASE\b")
USING = re.compile(r"using ([\w:]+)")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class| struct)?) ([\w:]+)(?: final)?(?: ?:[^:].*)?$")
ENUMERATORS = re.compile(r"^enum (?!class\b|struct\b)(\w+)[^{;]*\{([^}]*)\}", re.M)
OPERATOR = re.compile(r"\boperator ?(?:\(\)|[^\s\w(]+)")
DECLARATOR = re.compile(r"(?:[\w:&*~]|\s)*?([\w:~]+)\s*(?=[(=\[]|$)")
PRIVATE = ""  # the name of an anonymous namespace


def statements(text):
    """(enclosing namespaces, declaration up to its body, `=` included) of what stands at namespace scope."""
    code = NO_CODE.sub(lambda match: '""' if match[0][0] in 'R"' else " ", text)
    namespaces, start, depth, head = [], 0, 0, None
    for match in re.finditer(r"[(){};]", code):
        sign, before = match[0], " ".join(code[start:match.start()].split()) if depth == 0 or head is None else ""
        if sign == "{" and depth == 0 and (namespace := NAMESPACE.match(before)):
            namespaces.append(namespace[1])
            start = match.end()
        elif sign in "({":
            if sign == "{" and depth == 0 and head is None:
                head = before
            depth += 1
        elif sign == "}" and depth == 0:
            namespaces.pop()
            start = match.end()
        else:
            depth -= sign in ")}"
            if depth == 0 and (sign == ";" or sign == "}" and is_function(head)):
                yield tuple("::".join(namespaces).split("::")), before if head is None else head
                start, head = match.end(), None


def without_templates(text):
    """The text without what stands between < and >, and the keyword template before it."""
    while (shorter := re.sub(r"(?:^template )?<[^<>]*>", " ", text)) != text:
        text = shorter.strip()
    return text


def is_function(head):
    head = without_templates(OPERATOR.sub("operator", head))
    return not TYPE.match(head) and "(" in head.split("=")[0]


def name_of(head):
    """What a declaration declares. None if that is nothing, or a member of something declared before."""
    text = " ".join(re.sub(r"\[\[.*?\]\]", " ", head).split())
    if NO_NAME.match(text):
        return None
    if match := USING.match(text):
        return match[1].split("::")[-1]
    if match := OPERATOR.search(text):
        return match[0]
    text = without_templates(text)
    match = TYPE.match(text) or DECLARATOR.match(text)
    return match[1] if match and "::" not in match[1] else None


@functools.cache
def names_of(path):
    """[(namespaces, name, the declaration if it is a `using`)] of what a file declares at namespace scope."""
    text = path.read_text(encoding="utf-8")
    declared = [(scopes, name_of(head), head) for scopes, head in statements(text)]
    scopes_of = {name: scopes for scopes, name, _ in declared}
    for name, body in ENUMERATORS.findall(text):
        declared += [(scopes_of[name], word, "") for word in re.findall(r"^\s*(\w+)", body, re.M) if name in scopes_of]
    return [(scopes, name, head if head.startswith("using ") else "") for scopes, name, head in declared if name]


@functools.cache
def included(root, path):
    """The headers of the project that a file includes itself."""
    return [root / header for header in INCLUDE.findall(path.read_text(encoding="utf-8")) if (root / header).exists()]


def seen_by(root, sources):
    """The headers that the sources include, by way of others, too."""
    seen, left = {}, list(sources)
    while left:
        new = [header for header in included(root, left.pop()) if header not in seen]
        seen |= dict.fromkeys(new)
        left += new
    return sorted(seen)


def sources_of(root, folder):
    return sorted((root / folder).glob("*.cpp")) + [root / guest for guest in GUESTS.get(folder, [])]


def problems(root, folders):
    """Says what is wrong with the private names of folders that are compiled as one."""
    sources = [source for folder in folders for source in sources_of(root, folder)]
    public, private = {}, collections.defaultdict(dict)
    for header in seen_by(root, sources):
        for scopes, name, using in names_of(header):
            public.setdefault((scopes, name), (header.relative_to(root), using))
    for path in sources:
        for scopes, name, using in names_of(path):
            if PRIVATE not in scopes:
                continue
            depth = scopes.index(PRIVATE)
            private[scopes[:depth] if len(folders) > 1 else (), name].setdefault(path.name, using)
            outer = [public.get((scopes[:each], name)) for each in range(depth if len(folders) > 1 else 1, depth + 1)]
            for header, other in filter(None, outer):
                if not using or using != other:
                    yield f"{path.name} has a private {name}, and {header} declares one"
    for (_, name), files in sorted(private.items()):
        if len(files) > 1 and ("" in files.values() or len(set(files.values())) > 1):
            yield f"{' and '.join(files)} have a private {name} each"


def compiled_together(cmake, folders):
    """The groups of folders that `t2n_together` names by their targets."""
    by_target = {"t2n_" + folder.removeprefix("src/").replace("/", "_"): folder for folder in folders}
    return [tuple(by_target[target] for target in targets.split()) for targets in TOGETHER.findall(cmake)]


def main():
    root = pathlib.Path(sys.argv[1])
    cmake = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    folders = set(FOLDER.findall(cmake))
    together = compiled_together(cmake, folders)
    folders |= {str(source.parent.relative_to(root)) for source in root.glob("tests/**/*.cpp")} - PROGRAMS
    groups = [(folder,) for folder in sorted(folders)] + together
    found = [f"{' '.join(group)}: {text}" for group in groups for text in dict.fromkeys(problems(root, group))]
    print(*found, f"{len(folders)} folders, {len(together)} groups of them, {len(found)} problems", sep="\n")
    sys.exit(bool(found) or not folders or not together)


if __name__ == "__main__":
    main()
