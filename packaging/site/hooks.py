# SPDX-License-Identifier: Apache-2.0
"""Hooks of mkdocs: files of the source tree outside of docs that pages link to, and the marks of code blocks.

README.md becomes the first page, other Markdown files of the root pages of their name. A file that is no page is copied to
source/, with what it links to; a folder becomes a list of its files.
"""
import os
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md",
         "SECURITY.md": "SECURITY.md", "THIRD_PARTY.md": "THIRD_PARTY.md"}
LINK = re.compile(r"\]\(((?!\w+:|#)[^)#\s]+)(#[^)\s]*)?\)")
FILE = re.compile(r"^( *)<!-- file: (\S+) -->\n( *```\w*)", re.M)
NOT_RUN = re.compile(r"^( *)<!-- (?:not run|run with \w+): ([^\n]*) -->\n", re.M)
COMMENT = re.compile(r"^ *<!-- (?:exit|prints|setup)\b[^\n]*-->\n", re.M)


def target(source, page, link, found):
    """What a link of the file `source` is in the site, from `page`; notes the files that it leads to."""
    path = (ROOT / source).parent.joinpath(link).resolve()
    if not path.exists() or not path.is_relative_to(ROOT):
        return link  # mkdocs reports it
    name = str(path.relative_to(ROOT))
    if name in PAGES:
        name = PAGES[name]
    elif path.parent == ROOT / "docs":
        name = path.name
    else:
        found.add(name)
        name = f"source/{name}.html" if path.is_dir() else f"source/{name}"
    return os.path.relpath(name, Path(page).parent)


def rewritten(source, page, text, found):
    return LINK.sub(lambda match: f"]({target(source, page, match[1], found)}{match[2] or ''})", text)


def marked(text):
    """The marks of tests, as readers see them."""
    text = FILE.sub(lambda match: f'{match[3]} title="{match[2]}"', text)
    text = NOT_RUN.sub(lambda match: f"{match[1]}*Not run by `make test`: {match[2]}.*\n\n", text)
    return COMMENT.sub("", text)


def listing(folder):
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    return "\n".join([f"<h1>{folder.relative_to(ROOT)}</h1><ul>",
                      *(f'<li><a href="{folder.name}/{name}">{name}</a></li>' for name in names), "</ul>"])


def copied(name, config, found):
    """The files of the site for a file or folder of the source tree."""
    path = ROOT / name
    if path.suffix == ".md":
        return [File.generated(config, f"source/{name}", content=rewritten(name, f"source/{name}", path.read_text(), found))]
    if not path.is_dir():
        return [File.generated(config, f"source/{name}", content=path.read_bytes())]
    inside = [File.generated(config, f"source/{name}/{file.relative_to(path)}", content=file.read_bytes())
              for file in sorted(path.rglob("*")) if file.is_file()]
    return [File.generated(config, f"source/{name}.html", content=listing(path)), *inside]


def on_files(files, config):
    found, done = set(), set()
    for file in files.documentation_pages():
        rewritten(f"docs/{file.src_uri}", file.src_uri, Path(file.abs_src_path).read_text(), found)
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=rewritten(name, page, (ROOT / name).read_text(), found)))
    while missing := sorted(found - done):
        done.update(missing)
        for name in missing:
            for file in copied(name, config, found):
                if file.src_uri not in files.src_uris:
                    files.append(file)
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.generated_by is None:
        markdown = rewritten(f"docs/{page.file.src_uri}", page.file.src_uri, markdown, set())
    return marked(markdown)
