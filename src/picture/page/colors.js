// Colours of nodes by a value, such as a difference or a loss; a folded group has the largest in it.
const kStops = [[255, 246, 219], [253, 208, 128], [245, 133, 63], [196, 56, 32], [115, 16, 28]];
const colors = { least: 0, most: 0, isLog: false };

function useColors(model) {
  const values = model.nodes.map((node) => node.value).filter((value) => typeof value === "number");
  if (values.length === 0) return;
  colors.least = values.reduce((a, b) => Math.min(a, b));
  colors.most = values.reduce((a, b) => Math.max(a, b));
  const positive = values.filter((value) => value > 0);
  colors.isLog = colors.least >= 0 && positive.length > 0 && colors.most > 100 * positive.reduce((a, b) => Math.min(a, b));
  if (colors.isLog) colors.least = Math.max(colors.most * 1e-6, positive.reduce((a, b) => Math.min(a, b)));
}

function shareOf(value) {
  if (value <= colors.least || colors.most <= colors.least) return value >= colors.most ? 1 : 0;
  if (colors.isLog) return Math.log(value / colors.least) / Math.log(colors.most / colors.least);
  return (value - colors.least) / (colors.most - colors.least);
}

function colorAt(share) {
  const at = share * (kStops.length - 1);
  const i = Math.min(kStops.length - 2, Math.floor(at));
  return `rgb(${kStops[i].map((each, c) => Math.round(each + (kStops[i + 1][c] - each) * (at - i))).join(",")})`;
}

function paint(item, g, box) {
  if (typeof item.value !== "number") return;
  const share = shareOf(item.value);
  box.style.fill = colorAt(share);
  g.classList.add("colored");
  g.classList.toggle("deep", share > 0.6);
}

function shortNumber(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : "none";
}

function showLegend(legend, label) {
  const add = (name, text) => {
    const out = document.createElement("div");
    out.className = name;
    out.textContent = text;
    legend.append(out);
    return out;
  };
  add("name", colors.isLog ? `${label}, logarithmic` : label);
  const bar = add("bar", "");
  bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(colorAt).join(", ")})`;
  const ends = add("ends", "");
  for (const value of [colors.least, colors.most]) {
    const end = document.createElement("span");
    end.textContent = shortNumber(value);
    ends.append(end);
  }
}
