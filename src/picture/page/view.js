// Draws what is visible as SVG, and moves it.
const kSvg = "http://www.w3.org/2000/svg";
const canvas = document.getElementById("canvas");
const view = { x: 0, y: 0, scale: 1, layer: null, drawn: new Map(), lines: [], selected: null, matches: new Set() };

function make(tag, attributes, parent, text) {
  const out = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, value);
  if (text !== undefined) out.textContent = text;
  if (parent) parent.append(out);
  return out;
}

function pathOf(points) {
  if (points.length < 2) return "";
  const n = (value) => Math.round(value * 10) / 10;
  let out = `M${n(points[0].x)} ${n(points[0].y)}`;
  for (let i = 1; i + 1 < points.length; i += 1) {
    const next = i + 2 < points.length ? { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 } : points[i + 1];
    out += `Q${n(points[i].x)} ${n(points[i].y)} ${n(next.x)} ${n(next.y)}`;
  }
  const last = points[points.length - 1];
  return points.length === 2 ? `${out}L${n(last.x)} ${n(last.y)}` : out;
}

function draw(model) {
  const layout = layoutOf(model.root);
  const layer = make("g", {});
  view.drawn.clear();
  view.lines = [];
  drawMembers(layout, layer, 0, 0);
  canvas.replaceChildren(...canvas.querySelectorAll("defs"), layer);
  view.layer = layer;
  mark();
  move();
}

function drawMembers(layout, parent, x, y) {
  const open = layout.items.filter((each) => each.item.isGroup && each.item.opened);
  for (const each of open) drawItem(each, parent, x, y);
  for (const line of layout.lines) drawLine(line, parent, x, y);
  for (const each of layout.items) if (!open.includes(each)) drawItem(each, parent, x, y);
}

function drawLine(line, parent, x, y) {
  const points = line.points.map((point) => ({ x: point.x + x, y: point.y + y }));
  const target = line.w[0] === "o" ? null : line.list[0].b || line.list[0].member;
  const ends = target && !(target.isGroup && target.opened);
  const path = make("path", { class: "edge", d: pathOf(points), ...(ends ? { "marker-end": "url(#arrow)" } : {}) }, parent);
  const nodes = new Set(line.list.flatMap((each) => [each.edge.from, each.edge.to]));
  view.lines.push({ path, nodes });
  if (line.at) make("text", { class: "type", x: line.at.x + x, y: line.at.y + y + 3 }, parent, line.label);
}

function drawItem(place, parent, x, y) {
  const item = place.item;
  const left = place.x - place.width / 2 + x;
  const top = place.y - place.height / 2 + y;
  const kind = item.isGroup ? (item.opened ? "open" : "folded") : item.kind;
  const g = make("g", { class: `item ${kind}` }, parent);
  g.item = item;
  view.drawn.set(itemKey(item), { g, left, top, width: place.width, height: place.height });
  if (item.isGroup && item.opened) {
    make("rect", { class: "frame", x: left, y: top, width: place.width, height: place.height, rx: 10 }, g);
    drawMembers(item.layout, g, left, top);
    const head = make("text", { class: "head", x: left + 12, y: top + 18 }, g, `▾ ${titleOf(item)}`);
    if (item.type) make("tspan", { class: "small", dx: 8, "font-weight": 400 }, head, cut(item.type, 40));
    head.classList.add("toggle");
    return;
  }
  if (item.isGroup) make("rect", { class: "sheet", x: left + 4, y: top + 4, width: place.width, height: place.height, rx: 8 }, g);
  const round = item.kind === "input" || item.kind === "output" ? place.height / 2 : 8;
  const box = make("rect", { class: "box", x: left, y: top, width: place.width, height: place.height, rx: round }, g);
  paint(item, g, box);
  const subtitle = subtitleOf(item);
  const middle = left + place.width / 2;
  const title = item.isGroup ? `▸ ${titleOf(item)}` : titleOf(item);
  make("text", { class: "head", x: middle, y: top + (subtitle ? 17 : 17.5), "text-anchor": "middle" }, g, title);
  if (subtitle) make("text", { class: "small", x: middle, y: top + 30, "text-anchor": "middle" }, g, subtitle);
  make("title", {}, g, item.isGroup ? item.path || item.name : item.name);
}

function mark() {
  for (const { g } of view.drawn.values()) {
    const item = g.item;
    const hit = item.isGroup ? !item.opened && [...view.matches].some((node) => isInside(node, item)) : view.matches.has(item);
    g.classList.toggle("match", hit);
    g.classList.toggle("selected", view.selected === item);
    g.classList.toggle("problem", item.isGroup ? item.problems > 0 && !item.opened : Boolean(item.problem));
  }
  const item = view.selected;
  for (const { path, nodes } of view.lines) path.classList.toggle("near", Boolean(item) && !item.isGroup && nodes.has(item));
}

function isInside(item, group) {
  for (let each = item.up; each; each = each.up) if (each === group) return true;
  return false;
}

function move() {
  if (view.layer) view.layer.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(4, Math.max(0.01, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  move();
}

function fit(model) {
  const { width, height } = layoutOf(model.root);
  const most = Math.min((canvas.clientWidth - 20) / width, (canvas.clientHeight - 20) / height);
  view.scale = Math.min(1.15, Math.max(most, 0.01));
  if (view.scale < 0.45) view.scale = Math.max(view.scale, Math.min(0.75, (canvas.clientWidth - 20) / width));
  view.x = (canvas.clientWidth - width * view.scale) / 2;
  view.y = Math.max(0, (canvas.clientHeight - height * view.scale) / 2);
  move();
}

// Opens what is around an item, and moves it to the middle.
function reveal(model, item) {
  let changed = false;
  for (let group = item.up; group; group = group.up)
    if (!group.opened) { toggle(group, true); changed = true; }
  view.selected = item;
  if (changed) draw(model);
  mark();
  const at = view.drawn.get(itemKey(item));
  view.scale = Math.max(view.scale, 0.8);
  view.x = canvas.clientWidth / 2 - (at.left + at.width / 2) * view.scale;
  view.y = canvas.clientHeight / 2 - (at.top + Math.min(at.height / 2, canvas.clientHeight / 3)) * view.scale;
  move();
}

// Keeps the point of a group's head where it is.
function fold(model, group) {
  if (group.index === 0) return;
  const before = view.drawn.get(itemKey(group));
  toggle(group, !group.opened);
  draw(model);
  const after = view.drawn.get(itemKey(group));
  if (!before || !after) return;
  view.x += (before.left + before.width / 2 - after.left - after.width / 2) * view.scale;
  view.y += (before.top - after.top) * view.scale;
  move();
}
