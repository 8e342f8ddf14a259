// Each group is laid out by dagre on its own, inner ones first, and only when it is open: a large graph costs no more
// than what is visible. Tensors that cross the border of an open group go through ports at its top and bottom.
const kHead = 26;
const kMargin = 14;
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, font) {
  const key = font + text;
  if (!widths.has(key)) {
    pen.font = `${font} system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

function cut(text, most) {
  const line = text.replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function titleOf(item) {
  if (item.isGroup) return cut(item.name || "model", 44);
  return cut(item.label, 30);
}

// The module of a node as seen from its group, if it says something new.
function innerModule(node) {
  const outer = node.up.path;
  let out = node.module || "";
  if (outer) out = out.startsWith(`${outer}.`) ? out.slice(outer.length + 1) : "";
  return out === node.label ? "" : out;
}

function subtitleOf(item) {
  if (item.isGroup) {
    const count = item.count === 1 ? "1 operation" : `${item.count} operations`;
    return item.type && item.type !== "part" ? `${cut(item.type, 30)} · ${count}` : count;
  }
  if (item.kind === "input" || item.kind === "output") return cut(item.results[0] ? item.results[0].type : "", 40);
  const texts = Object.entries(item.arguments || {}).slice(0, 2).map(([name, value]) => `${name} ${value}`);
  const details = cut(item.weights ? item.weights[0].type : texts.join(", "), 28);
  return cut([innerModule(item), details].filter((text) => text).join(" · "), 40);
}

function sizeOf(item) {
  if (item.isGroup && item.opened) return layoutOf(item);
  const subtitle = subtitleOf(item);
  const width = Math.max(textWidth(titleOf(item), "600 12px"), textWidth(subtitle, "10px")) + (item.isGroup ? 46 : 26);
  return { width: Math.max(width, 56), height: subtitle ? 38 : 26 };
}

function commonType(list) {
  const types = new Set(list.map((each) => each.edge.type));
  const tensors = new Set(list.map((each) => each.edge.tensor));
  if (tensors.size > 1) return `${tensors.size} tensors`;
  return types.size === 1 ? cut([...types][0], 34) : "";
}

function linesOf(group) {
  const lines = [];
  for (const list of group.edges.values())
    lines.push({ v: itemKey(list[0].a), w: itemKey(list[0].b), list, label: commonType(list) });
  for (const [port, map, isIn] of [["i", group.ins, true], ["o", group.outs, false]])
    for (const [tensor, list] of map) {
      const seen = new Set();
      for (const each of list) {
        const key = itemKey(each.member);
        if (seen.has(key)) continue;
        seen.add(key);
        const same = list.filter((other) => other.member === each.member);
        const ends = isIn ? { v: port + tensor, w: key } : { v: key, w: port + tensor };
        lines.push({ ...ends, list: same, label: "" });
      }
    }
  return lines;
}

// Adds an invisible node above all ports of one side, or below them, which draws them to the border.
function addPorts(nodes, edges, side, map) {
  if (map.size === 0) return;
  nodes.push({ v: side, width: 1, height: 1 });
  for (const tensor of map.keys()) {
    nodes.push({ v: side + tensor, width: 6, height: 1 });
    const ends = side === "i" ? { v: side, w: side + tensor } : { v: side + tensor, w: side };
    edges.push({ ...ends, weight: 50, minlen: 1, width: 0, height: 0 });
  }
}

// Equal groups, such as repeated layers, are laid out once.
const known = new Map();

function runDagre(nodes, edges) {
  const at = new Map(nodes.map((node, i) => [node.v, i]));
  const key = JSON.stringify([nodes.map((n) => [n.width, n.height]), edges.map((e) => [at.get(e.v), at.get(e.w), e.width, e.weight])]);
  if (!known.has(key)) known.set(key, dagrePositions(nodes, edges));
  const { points, lines } = known.get(key);
  nodes.forEach((node, i) => Object.assign(node, points[i]));
  edges.forEach((edge, i) => Object.assign(edge, lines[i]));
}

function dagrePositions(nodes, edges) {
  try {
    dagre.layout(nodes, edges, { ranksep: 22, nodesep: 22, edgesep: 14 }, {});
  } catch (error) {  // a column in order of the data flow
    let y = 0;
    nodes.forEach((node) => { node.x = node.width / 2; node.y = y + node.height / 2; y += node.height + 30; });
    edges.forEach((edge) => { edge.points = []; });
  }
  return {
    points: nodes.map(({ x, y }) => ({ x, y })),
    lines: edges.map(({ x, y, points }) => (x === undefined ? { points } : { x, y, points })),
  };
}

function layoutOf(group) {
  if (group.layout) return group.layout;
  const nodes = group.members.map((item) => ({ v: itemKey(item), item, ...pick(sizeOf(item)) }));
  const lines = linesOf(group);
  const edges = lines.map((line) => ({
    v: line.v, w: line.w, line, labelpos: "r", labeloffset: 5, width: line.label ? textWidth(line.label, "9.5px") + 6 : 0, height: line.label ? 12 : 0,
  }));
  addPorts(nodes, edges, "i", group.ins);
  addPorts(nodes, edges, "o", group.outs);
  runDagre(nodes, edges);
  group.layout = placed(group, nodes, edges);
  return group.layout;
}

function pick(size) {
  return { width: size.width, height: size.height };
}

function placed(group, nodes, edges) {
  const at = new Map(nodes.map((node) => [node.v, node]));
  const shown = nodes.filter((node) => node.v !== "i" && node.v !== "o");
  const drawn = edges.filter((edge) => edge.line);
  const xs = shown.flatMap((n) => [n.x - n.width / 2, n.x + n.width / 2]);
  const ys = shown.flatMap((n) => [n.y - n.height / 2, n.y + n.height / 2]);
  drawn.forEach((edge) => (edge.points || []).forEach((p) => { xs.push(p.x); ys.push(p.y); }));
  drawn.filter((edge) => edge.line.label && edge.x !== undefined).forEach((edge) => xs.push(edge.x - edge.width / 2, edge.x + edge.width / 2));
  const left = reduceTo(Math.min, xs) - kMargin;
  const top = reduceTo(Math.min, ys) - kMargin - kHead;
  const inner = reduceTo(Math.max, xs) - left + kMargin;
  const width = Math.max(inner, textWidth(titleOf(group), "600 12px") + textWidth(cut(group.type || "", 40), "10px") + 60);
  const shift = (width - inner) / 2 - left;
  const height = reduceTo(Math.max, ys) - top + kMargin;
  const place = (point) => ({ x: point.x + shift, y: point.y - top });
  const items = nodes.filter((node) => node.item).map((node) => ({ item: node.item, ...pick(node), ...place(node) }));
  const ports = new Map(shown.filter((node) => !node.item).map((node) => [node.v, place(node)]));
  const layout = { width, height, items, ports };
  layout.lines = drawn.map((edge) => ({
    ...edge.line, points: joined((edge.points || []).map(place), edge, at, layout),
    at: edge.line.label && edge.x !== undefined ? place(edge) : null,
  }));
  return layout;
}

function reduceTo(pickOne, numbers) {
  return numbers.length === 0 ? 0 : numbers.reduce((a, b) => pickOne(a, b));
}

// Moves the ends of a line to the border, or to the ports of the open groups that it connects.
function joined(points, edge, at, layout) {
  const out = points.slice();
  const port = (key) => layout.ports.get(key);
  const box = (key) => layout.items.find((each) => itemKey(each.item) === key);
  if (port(edge.v)) out.unshift({ x: port(edge.v).x, y: 0 });
  if (port(edge.w)) out.push({ x: port(edge.w).x, y: layout.height });
  const from = at.get(edge.v).item;
  const to = at.get(edge.w).item;
  const tensors = [...new Set(edge.line.list.map((each) => each.edge.tensor))];
  if (from && from.isGroup && from.opened) {
    const inner = from.layout.ports.get(`o${tensors[0]}`);
    const outer = box(edge.v);
    if (inner) out.splice(0, 1, { x: outer.x - outer.width / 2 + inner.x, y: outer.y + outer.height / 2 });
  }
  if (to && to.isGroup && to.opened) {
    const inner = to.layout.ports.get(`i${tensors[0]}`);
    const outer = box(edge.w);
    if (inner) out.splice(-1, 1, { x: outer.x - outer.width / 2 + inner.x, y: outer.y - outer.height / 2 });
  }
  return out;
}
