# SPDX-License-Identifier: Apache-2.0
"""Whether the generated pages begin with their totals, name the commit they were made at, and are not too old.

Exits with 77, which ctest shows as skipped, where git cannot say: no git, or a shallow clone.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import stamp
import totals

PAGES = ["docs/hostile.md", "docs/matrix.md", "docs/lies.md", "docs/mutants.md", "docs/zoo.md", "docs/zoo_dynamic.md", "docs/zoo_khronos.md",
         "docs/zoo_roads.md"]
MOST_BEHIND = 300  # commits of the main line; the zoo takes hours, so it is not made at every change
SKIPPED = 77


def problem(root, page, most):
    """What is wrong with the stamp of one page, or None."""
    text = (root / page).read_text()
    stamps = stamp.STAMP.findall(text)
    if len(stamps) != 1:
        return f"{page}: {len(stamps)} lines 'Made at commit …', expected one"
    commit = stamps[0][0]
    if stamp.git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return f"{page}: made at {commit}, which is no ancestor of the commit that is checked out"
    behind = int(stamp.git(root, "rev-list", "--count", "--first-parent", f"{commit}..HEAD"))
    return f"{page}: made {behind} commits ago, at most {most} are allowed: make it again" if behind > most else None


def wrong_totals():
    """The pages whose first table is not what their other tables add up to."""
    for name in totals.PAGES:
        page = (stamp.ROOT / f"docs/{name}.md").read_text()
        if totals.inserted(name, page) != page:
            yield f"docs/{name}.md: its totals are not those of its tables: python3 tests/pages/totals.py docs/{name}.md"


def check_totals():
    page = "# A page\n\n**Two**\n\n| model | axes |  |\n|---|---|---|\n| a | x | ok |\n| b | y | no |\n"
    made = totals.inserted("zoo_dynamic", page)
    assert "**Two**\n\n| totals | ok | not right |\n" in made and "| all | 1 | 1 |\n\n| model" in made, made
    assert totals.inserted("zoo_dynamic", made.replace("| all | 1", "| all | 7")) == made, "totals are made anew"
    assert totals.inserted("start", page) == page, "other pages have none"


def why_unknown(root):
    """Why git cannot say how old a page is, or None."""
    if not stamp.has_history(root):
        return "this folder is not checked out of git, or git is not here"
    return "this clone is shallow" if stamp.git(root, "rev-parse", "--is-shallow-repository") == "true" else None


def commit(root, page, text):
    (root / page).write_text(text)
    words = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
    for command in (["add", page], [*words, "commit", "-q", "-m", "a page"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)


def check_oldest(folder):
    results = [folder / "a.result", folder / "b.result"]
    for age, result in enumerate(results):
        result.write_text("ok")
        stamp.keep(result, f"stamp {age}")
        os.utime(result, (1000 - age, 1000 - age))
    assert stamp.oldest([*results, folder / "not run"]) == "stamp 1", "a page of two runs"


def check_itself():
    """The rules above, in histories made for it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "full"
        assert why_unknown(Path(folder)), "a folder without git"
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        commit(root, "page.md", "# A page\n")
        assert "0 lines" in problem(root, "page.md", 2), "a page without a stamp"
        old = stamp.line(root)
        assert ", with changes" not in old, "a clean tree"
        commit(root, "page.md", stamp.stamped("# A page\n", old))
        commit(root, "page.md", (root / "page.md").read_text() + "\nMore.\n")
        assert problem(root, "page.md", 2) is None, "a page of two commits ago"
        assert "2 commits ago" in problem(root, "page.md", 1), "an old page"
        again = stamp.stamped((root / "page.md").read_text(), stamp.line(root))
        assert len(stamp.STAMP.findall(again)) == 1, "a second stamp replaces the first"
        subprocess.run(["git", "-C", str(root), "checkout", "-q", "--orphan", "other"], check=True)
        commit(root, "page.md", again)
        assert "no ancestor" in problem(root, "page.md", 2), "a page of another history"
        (root / "page.md").write_text("changed\n")
        assert ", with changes" in stamp.line(root), "a changed tree"
        check_oldest(Path(folder))
        shallow = Path(folder) / "shallow"
        subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{root}", str(shallow)], check=True)
        assert "shallow" in why_unknown(shallow), "a shallow clone"


def main():
    check_totals()
    if wrong := list(wrong_totals()):
        sys.exit("\n".join(wrong))
    if why := why_unknown(stamp.ROOT):
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    check_itself()
    problems = [found for page in PAGES if (found := problem(stamp.ROOT, page, MOST_BEHIND))]
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
