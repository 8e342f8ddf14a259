// What is known of the selected item, as text only.
const panel = document.getElementById("panel");

function el(tag, text, parent, name) {
  const out = document.createElement(tag);
  if (text !== undefined) out.textContent = text;
  if (name) out.className = name;
  if (parent) parent.append(out);
  return out;
}

function rows(title, pairs) {
  if (pairs.length === 0) return;
  el("h3", title, panel);
  const table = el("table", undefined, panel);
  for (const [name, value] of pairs) {
    const row = el("tr", undefined, table);
    el("td", name, row);
    el("code", value, el("td", undefined, row));
  }
}

function links(title, list) {
  if (list.length === 0) return;
  el("h3", title, panel);
  for (const [item, text] of list) el("button", text, panel, "link").onclick = () => select(item, true);
}

function showLines(title, lines) {
  if (!lines || lines.length === 0) return;
  el("h3", title, panel);
  for (const line of lines) {
    const place = line.line > 0 ? `${line.file}:${line.line}` : line.file;
    if (place) el("div", undefined, panel).append(el("code", place), el("span", line.function ? `  in ${line.function}` : "", undefined, "hint"));
    if (line.text) el("pre", line.text, panel);
  }
}

function showWeight(weight) {
  el("h3", weight.operand ? `Weight · ${weight.operand}` : "Weight", panel);
  el("code", `${weight.name}  ${weight.type}`, panel);
  const all = weight.statistics;
  if (!all) {
    el("div", "its values are not known", panel, "hint");
    return;
  }
  const share = (count) => (count === 0 ? "0" : `${count} (${shortNumber((100 * count) / Math.max(1, all.elements))} %)`);
  const table = el("table", undefined, panel);
  const pairs = [["min", shortNumber(all.min)], ["max", shortNumber(all.max)], ["mean", shortNumber(all.mean)],
    ["std", shortNumber(all.std)], ["zeros", share(all.zeros)], ["NaN", share(all.nan)]];
  if (all.infinite > 0) pairs.push(["infinite", share(all.infinite)]);
  pairs.push(["elements", String(all.elements)]);
  for (const [name, value] of pairs) {
    const row = el("tr", undefined, table);
    el("td", name, row);
    const cell = el("td", value, row);
    if ((name === "NaN" || name === "infinite") && value !== "0") cell.className = "problem";
  }
}

function showNode(node) {
  el("h2", node.label, panel);
  el("code", node.name, panel, "hint");
  if (node.problem) el("p", node.problem, panel, "problem");
  const about = [["operator", node.op]];
  if (node.module) about.push(["module", node.module]);
  if (node.class) about.push(["class", node.class]);
  if (typeof node.value === "number") about.push([picture.colors ? picture.colors.label : "value", shortNumber(node.value)]);
  rows("Operation", about);
  showLines("Python", node.source);
  showLines("NNEF", node.nnef);
  rows("Arguments", Object.entries(node.arguments || {}));
  links("Inputs", node.inputs.map((edge) => [edge.from, `${edge.operand ? `${edge.operand}: ` : ""}${edge.from.results[edge.result].name}  ${edge.type}`]));
  rows("Results", node.results.map((result) => [result.type || "?", result.name]));
  links("Read by", node.readers.map((edge) => [edge.to, `${edge.to.label}  ${edge.to.name}`]));
  (node.weights || []).forEach(showWeight);
  if (node.definition) showLines("Fragment", [{ text: node.definition }]);
}

function showGroup(group) {
  el("h2", group.name || "model", panel);
  if (group.path) el("code", group.path, panel, "hint");
  const about = [];
  if (group.type && group.type !== "part") about.push(["class", group.type]);
  about.push(["operations", String(group.count)]);
  if (typeof group.value === "number") about.push([`largest ${picture.colors ? picture.colors.label : "value"}`, shortNumber(group.value)]);
  rows("Group", about);
  const tensors = (map, read) => [...map.values()].map((list) => list[0].edge).map((edge) => [read(edge), `${edge.from.results[edge.result].name}  ${edge.type}`]);
  links("Inputs", tensors(group.ins, (edge) => edge.from));
  links("Outputs", tensors(group.outs, (edge) => edge.from));
  links("Contents", group.members.map((item) => [item, `${titleOf(item)}  ${item.isGroup ? subtitleOf(item) : item.name}`]));
}

function showPanel(item) {
  panel.replaceChildren();
  panel.classList.toggle("open", Boolean(item));
  panel.scrollTop = 0;
  if (item) (item.isGroup ? showGroup : showNode)(item);
}
