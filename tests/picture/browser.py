# SPDX-License-Identifier: Apache-2.0
"""Opens pictures in headless Chromium: browser.py T2NNEF FIXTURES. A graph of 5,000 nodes loads in time and its nodes are
found, texts of a model stay texts, and Graphviz reads the DOT files. Exit 77 without Chromium or Graphviz."""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM, FIXTURES = sys.argv[1], pathlib.Path(sys.argv[2])
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
DOT, NOP = shutil.which("dot"), shutil.which("nop")  # the second only reads
ATTACK = "</script><script>document.documentElement.dataset.attacked=1</script><img src=x onerror=alert(1)>"

# Runs after the page's own scripts. Every node is found by its name, also where it is folded away.
PROBE = """<script>
"use strict";
const report = { ready: Number(document.documentElement.dataset.ready), nodes: model.nodes.length, missed: [], errors: [] };
window.addEventListener("error", (event) => report.errors.push(String(event.message)));
for (const node of model.nodes) if (!search(model, node.name).includes(node)) report.missed.push(node.name);
const step = Math.max(1, Math.floor(model.nodes.length / SAMPLES));
for (let i = 0; i < model.nodes.length; i += step) {
  field.value = model.nodes[i].name;
  runSearch(field.value);
  goTo(0);
  const found = view.drawn.get(itemKey(hits.list[0]));
  const box = found && found.g.getBoundingClientRect();
  const inside = box && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
  if (!inside || hits.list[0].name !== model.nodes[i].name || !panel.textContent.includes(model.nodes[i].name))
    report.missed.push("not shown: " + model.nodes[i].name);
}
const began = performance.now();
showAll(true);
report.all = Math.round(performance.now() - began);
report.drawn = view.drawn.size;
report.overlaps = 0;
for (const group of model.groups) {
  const items = layoutOf(group).items;
  for (let a = 0; a < items.length; a += 1)
    for (let b = a + 1; b < items.length; b += 1)
      if (Math.abs(items[a].x - items[b].x) < (items[a].width + items[b].width) / 2 - 1 &&
          Math.abs(items[a].y - items[b].y) < (items[a].height + items[b].height) / 2 - 1) report.overlaps += 1;
}
model.groups.forEach((group) => select(group, false));
showAll(false);
report.folded = view.drawn.size;
report.attacked = document.documentElement.dataset.attacked || document.images.length > 0;
report.title = document.querySelector("h1").textContent;
document.documentElement.dataset.report = encodeURIComponent(JSON.stringify(report));
</script></body>"""


def run(*arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, (arguments, result.returncode, result.stderr)


def opened(page, samples=30):
    """What the page says of itself after the probe."""
    probed = page.with_name("probed.html")
    text = page.read_text(encoding="utf-8")
    assert text.count("</body>") == 1
    probed.write_text(text.replace("</body>", PROBE.replace("SAMPLES", str(samples))), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900", "--dump-dom",
               f"--user-data-dir={page.parent / 'profile'}", probed.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=240).stdout
    found = re.search(r'data-report="([^"]*)"', dom)
    assert found, f"{page}: the page's scripts failed: {dom[:200]}"
    from urllib.parse import unquote
    return json.loads(unquote(found[1]))


def check(report, nodes):
    assert report["nodes"] == nodes, report
    assert report["missed"] == [] and report["errors"] == [], report
    assert not report["attacked"] and report["overlaps"] == 0, report
    print({key: report[key] for key in ("ready", "nodes", "all", "drawn", "folded")})


def check_dot(path, layout=True):
    """Graphviz reads it without a word; it takes minutes to lay a large graph out."""
    command = [DOT, "-Tsvg", path] if layout else [NOP, "-p", path]
    result = subprocess.run(command, capture_output=True, timeout=240)
    assert result.returncode == 0 and result.stderr == b"", result.stderr


def large_graph(count, modules):
    """Operations in nested modules; each reads its predecessor and one further back."""
    lines = [f'graph Net(%x: f32[2]) -> (%v{count - 1} as "y") {{']
    for i in range(count):
        if i % (count // modules) == 0:
            block = i // (count // modules)
            lines.append(f"\n@Net/ModuleList[blocks]/Stage[{block // 10}]/Block[{block}]:")
        before = f"v{i - 1}" if i else "x"
        other = f"v{i - 7}" if i > 7 else "x"
        lines.append(f"  %v{i}: f32[2] = aten::add.Tensor(self=%{before}, other=%{other}, alpha=1) as add_{i}  # net.py:{i + 1}")
    return "\n".join(lines) + "\n}\n"


def test_large(folder):
    for name, modules in (("nested", 250), ("flat", 1)):
        (folder / f"{name}.ir").write_text(large_graph(4998, modules))
        files = [folder / f"{name}.{suffix}" for suffix in ("html", "svg", "dot", "json")]
        run("graph", folder / f"{name}.ir", *(word for file in files for word in ("-o", file)))
        report = opened(files[0])
        print(f"5,000 nodes: ready after {report['ready']} ms")
        check(report, 5000)
        assert report["folded"] < 200 < 5000 <= report["drawn"], report
        check_dot(files[2], layout=False)
        svg = files[1].read_text(encoding="utf-8")
        assert len(re.findall(r"<title>v\d+</title>", svg)) == 4998


def test_attacks(folder):
    """Names, labels and properties of a foreign file."""
    net = folder / "attack"
    net.mkdir()
    name = ATTACK.replace("'", "").replace('"', "")
    (net / "graph.nnef").write_text(
        f"version 1.0;\nextension tract_registry tract_core;\ngraph net(x) -> (i\"{name}\") {{\n"
        "x = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
        f"w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
        f"i\"{name}\" = mul(x, w);  # {ATTACK}\n}}\n", encoding="utf-8")
    header = struct.pack("<12I", 0x0001EF4E, 24, 2, 2, 3, 0, 0, 0, 0, 0, 0, 32).ljust(128, b"\0")
    (net / "w.dat").write_bytes(header + struct.pack("<6f", *range(6)))
    page = folder / "attack.html"
    run("graph", net, "-o", page, "-o", folder / "attack.dot", "-o", folder / "attack.svg")
    check(opened(page), 3)
    check_dot(folder / "attack.dot")
    import xml.dom.minidom
    svg = xml.dom.minidom.parse(str(folder / "attack.svg"))
    assert not svg.getElementsByTagName("script") and not svg.getElementsByTagName("img")
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=|url\(\s*['\"]?http|@import|fetch\(|XMLHttpRequest", text.split("<script type")[0])


def test_models(folder):
    for model in ("transformer_encoder/model.pt", "control_flow/model.pt", "digits_cnn/model.pt"):
        name = model.split("/")[0]
        page, dot, data = (folder / f"{name}.{suffix}" for suffix in ("html", "dot", "json"))
        samples = f"@{FIXTURES / name / 'input.npz'}"  # scripted files have none
        run("graph", FIXTURES / model, "-i", samples, "-o", page, "-o", dot, "-o", data, "-q")
        nodes = json.loads(data.read_text(encoding="utf-8"))["nodes"]
        # A view may become a part of other statements, a layer never.
        assert all("nnef" in node for node in nodes if node["kind"] == "layer"), name
        assert 2 * sum("nnef" in node for node in nodes) > sum("::" in node["op"] for node in nodes), name
        check(opened(page), len(nodes))
        check_dot(dot)


def main():
    if not CHROMIUM or not DOT or not NOP:
        print("skipped: needs chromium-headless-shell, or chromium, and graphviz")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        for test in (test_large, test_attacks, test_models):
            test(pathlib.Path(name))


main()
