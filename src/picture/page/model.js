"use strict";
// The picture: groups with their members, and which tensors cross their borders.
const picture = JSON.parse(document.getElementById("data").textContent);

// Groups hold: index, members (nodes and groups in order), opened, levels (edges between members), ins and outs
// (tensors that enter and leave, with the members that they reach or come from), count (of nodes).
function makeModel(data) {
  const groups = data.groups.map((group, index) => ({
    ...group, index, isGroup: true, members: [], opened: false, edges: new Map(), ins: new Map(), outs: new Map(),
    count: 0, problems: 0, value: null, layout: null,
  }));
  const nodes = data.nodes.map((node, index) => ({ ...node, index, isGroup: false, inputs: [], readers: [] }));
  groups.forEach((group) => { group.up = group.index === 0 ? null : groups[group.parent]; });
  nodes.forEach((node) => {
    node.up = groups[node.group];
    node.up.members.push(node);
    for (let group = node.up; group; group = group.up) {
      if (node.kind !== "input" && node.kind !== "output") group.count += 1;
      if (node.problem) group.problems += 1;
      if (typeof node.value === "number") group.value = group.value === null ? node.value : Math.max(group.value, node.value);
    }
  });
  groups.slice(1).forEach((group) => group.up.members.push(group));
  data.edges.forEach((each, index) => {
    const edge = { ...each, index, from: nodes[each.from], to: nodes[each.to] };
    const result = edge.from.results[edge.result];
    edge.tensor = `${each.from}:${each.result}`;
    edge.type = result ? result.type : "";
    edge.from.readers.push(edge);
    edge.to.inputs.push(edge);
    addEdge(edge);
  });
  return { groups, nodes, root: groups[0] };
}

function pathUp(item) {
  const out = [];
  for (let each = item; each; each = each.up) out.push(each);
  return out.reverse();
}

function addEdge(edge) {
  const from = pathUp(edge.from);
  const to = pathUp(edge.to);
  let common = 0;
  while (common + 1 < Math.min(from.length, to.length) && from[common + 1] === to[common + 1]) common += 1;
  const a = from[common + 1];
  const b = to[common + 1];
  if (!a || !b) return;
  push(from[common].edges, `${itemKey(a)} ${itemKey(b)}`, { a, b, edge });
  for (let i = common + 1; i + 1 < from.length; i += 1) push(from[i].outs, edge.tensor, { member: from[i + 1], edge });
  for (let i = common + 1; i + 1 < to.length; i += 1) push(to[i].ins, edge.tensor, { member: to[i + 1], edge });
}

function push(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

function itemKey(item) {
  return (item.isGroup ? "g" : "n") + item.index;
}

// Folded: nothing but what fits a screen. Groups open from the outside as long as few members come into view.
function openSome(model) {
  const most = 36;
  let shown = model.root.members.length;
  const queue = [model.root];
  model.root.opened = true;
  while (queue.length > 0) {
    const group = queue.shift();
    for (const member of group.members) {
      if (!member.isGroup || shown + member.members.length > most) continue;
      member.opened = true;
      shown += member.members.length;
      queue.push(member);
    }
  }
}

function setAll(model, opened) {
  model.groups.forEach((group) => { group.opened = opened || group.index === 0; group.layout = null; });
}

function toggle(group, opened) {
  group.opened = opened;
  for (let each = group; each; each = each.up) each.layout = null;
}

// What the search looks at, made once.
function searchText(node) {
  if (node.text === undefined) {
    const parts = [node.name, node.op, node.module, node.class];
    (node.weights || []).forEach((weight) => parts.push(weight.name, weight.type));
    node.results.forEach((result) => parts.push(result.name, result.type));
    (node.source || []).forEach((line) => parts.push(`${line.file}:${line.line}`));
    node.text = parts.join("\n").toLowerCase();
  }
  return node.text;
}

// All words have to occur; nodes with exactly this name come first.
function search(model, query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word);
  if (words.length === 0) return [];
  const found = model.nodes.filter((node) => words.every((word) => searchText(node).includes(word)));
  const rank = (node) => (node.name === query ? 0 : node.name.toLowerCase().startsWith(words[0]) ? 1 : 2);
  return found.map((node) => [rank(node), node]).sort((a, b) => a[0] - b[0] || a[1].index - b[1].index).map((pair) => pair[1]);
}
