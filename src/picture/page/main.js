// Search, mouse, keyboard, and the start. A link may end in #node=NAME, #search=TEXT, #open=all or #theme=dark.
const model = makeModel(picture);
const field = document.querySelector("input");
const results = document.getElementById("results");
const hits = { list: [], at: -1 };

function select(item, moves) {
  view.selected = item;
  const hadPanel = panel.classList.contains("open");
  showPanel(item);
  if (item && moves) reveal(model, item);
  else mark();
  if (!hadPanel && item && moves) reveal(model, item);  // the canvas has become narrower
}

function runSearch(query) {
  hits.list = search(model, query);
  hits.at = -1;
  view.matches = new Set(hits.list);
  mark();
  const most = 200;
  results.replaceChildren();
  results.classList.toggle("open", query.trim() !== "");
  el("p", hits.list.length === 1 ? "1 match" : `${hits.list.length} matches`, results);
  hits.list.slice(0, most).forEach((node, i) => {
    const button = el("button", `${node.label}  `, results);
    el("small", node.name, button);
    button.onclick = () => goTo(i);
  });
  if (hits.list.length > most) el("p", "Enter goes through all of them", results);
}

function goTo(i) {
  if (hits.list.length === 0) return;
  hits.at = (i + hits.list.length) % hits.list.length;
  [...results.querySelectorAll("button")].forEach((button, index) => {
    button.classList.toggle("current", index === hits.at);
    if (index === hits.at) button.scrollIntoView({ block: "nearest" });
  });
  select(hits.list[hits.at], true);
}

function showAll(opened) {
  setAll(model, opened);
  if (!opened) openSome(model);
  draw(model);
  fit(model);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

field.addEventListener("input", () => runSearch(field.value));
field.addEventListener("focus", () => { if (field.value) results.classList.add("open"); });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") goTo(hits.at + (event.shiftKey ? -1 : 1));
  if (event.key === "Escape") { field.value = ""; runSearch(""); field.blur(); }
});
document.addEventListener("keydown", (event) => {
  if (event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  const item = view.selected;
  const actions = {
    "/": () => field.focus(), f: () => fit(model), "+": () => zoom(1.25), "-": () => zoom(0.8),
    Escape: () => select(null, false), Enter: () => { if (item && item.isGroup) fold(model, item); },
    ArrowUp: () => { if (item && !item.isGroup && item.inputs[0]) select(item.inputs[0].from, true); },
    ArrowDown: () => { if (item && !item.isGroup && item.readers[0]) select(item.readers[0].to, true); },
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

function itemAt(event) {
  const g = event.target.closest ? event.target.closest(".item") : null;
  return g ? g.item : null;
}

let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  results.classList.remove("open");
  drag = { x: event.clientX, y: event.clientY, item: itemAt(event), isHead: Boolean(event.target.closest(".toggle")), moved: false };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const dx = event.clientX - drag.x;
  const dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  drag = { ...drag, x: event.clientX, y: event.clientY, moved: true };
  view.x += dx;
  view.y += dy;
  canvas.classList.add("dragging");
  move();
});
canvas.addEventListener("pointerup", () => {
  canvas.classList.remove("dragging");
  if (drag && !drag.moved) {
    const { item, isHead } = drag;
    if (item && item.isGroup && (isHead || !item.opened)) fold(model, item);
    select(item, false);
  }
  drag = null;
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = canvas.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

document.getElementById("fit").onclick = () => fit(model);
document.getElementById("in").onclick = () => zoom(1.3);
document.getElementById("out").onclick = () => zoom(0.77);
document.getElementById("open").onclick = () => showAll(true);
document.getElementById("fold").onclick = () => showAll(false);
document.getElementById("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
document.getElementById("close").onclick = () => select(null, false);

function follow() {
  const wanted = new URLSearchParams(window.location.hash.slice(1));
  if (wanted.has("theme")) setTheme(wanted.get("theme") === "dark" ? "dark" : "light");
  if (wanted.has("open")) showAll(true);
  if (wanted.has("search")) { field.value = wanted.get("search"); runSearch(field.value); }
  const node = wanted.has("node") && model.nodes.find((each) => each.name === wanted.get("node"));
  if (node) select(node, true);
}

setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.title = `${picture.title} · graph`;
document.querySelector("h1").textContent = picture.title;
document.getElementById("about").textContent = [
  `${model.root.count} operations`, `${model.groups.length - 1} groups`, picture.note].filter((text) => text).join(" · ");
document.getElementById("about").title = picture.note || "";
useColors(model);
if (picture.colors) showLegend(document.getElementById("legend"), picture.colors.label);
openSome(model);
draw(model);
fit(model);
follow();
window.addEventListener("hashchange", follow);
document.documentElement.dataset.ready = String(Math.round(performance.now()));
