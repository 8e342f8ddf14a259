// SPDX-License-Identifier: Apache-2.0
// Merges, divides and removes groups, and sorts their members by the data flow.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "src/diag/error.h"
#include "src/picture/calls.h"
#include "src/picture/picture.h"

namespace t2n::picture {
namespace {

/// Beyond this number of members, a group is divided.
constexpr size_t kMostMembers = 80;

/// A node or a group.
struct Child {
  bool is_group = false;
  size_t index = 0;
  size_t order = 0;  ///< of its first node
};

using Children = std::vector<std::vector<Child>>;  // by group

Children children_of(const Picture& picture) {
  Children out(picture.groups.size());
  for (size_t i = 0; i < picture.nodes.size(); ++i)
    out[picture.nodes[i].group].push_back({false, i, i});
  for (size_t i = 1; i < picture.groups.size(); ++i)
    out[picture.groups[i].parent].push_back({true, i, 0});
  return out;
}

void set_parent(Picture& picture, const Child& member, size_t group) {
  (member.is_group ? picture.groups[member.index].parent : picture.nodes[member.index].group) =
      group;
}

/// Groups without nodes in them disappear; a parent precedes its children before and after.
void remove_empty(Picture& picture) {
  std::vector<bool> is_used(picture.groups.size(), false);
  is_used[0] = true;
  for (const Node& node : picture.nodes) is_used[node.group] = true;
  for (size_t i = picture.groups.size(); i-- > 1;)
    if (is_used[i]) is_used[picture.groups[i].parent] = true;
  std::vector<size_t> new_index(picture.groups.size());
  std::vector<Group> kept;
  for (size_t i = 0; i < picture.groups.size(); ++i) {
    new_index[i] = kept.size();
    if (!is_used[i]) continue;
    kept.push_back(std::move(picture.groups[i]));
    kept.back().parent = new_index[kept.back().parent];
  }
  for (Node& node : picture.nodes) node.group = new_index[node.group];
  picture.groups = std::move(kept);
}

/// A group whose only member is a node disappears: the node knows its module.
void dissolve_single(Picture& picture) {
  std::vector<size_t> count(picture.groups.size(), 0);
  std::vector<size_t> last(picture.groups.size(), picture.nodes.size());
  for (size_t i = 0; i < picture.nodes.size(); ++i) {
    ++count[picture.nodes[i].group];
    last[picture.nodes[i].group] = i;
  }
  for (size_t i = 1; i < picture.groups.size(); ++i) ++count[picture.groups[i].parent];
  for (size_t i = picture.groups.size(); i-- > 1;) {
    if (count[i] != 1 || last[i] == picture.nodes.size()) continue;
    picture.nodes[last[i]].group = picture.groups[i].parent;
    last[picture.groups[i].parent] = last[i];
  }
}

/// A group whose only member is a group takes its name, its type and its members.
void merge_chains(Picture& picture) {
  const Children members = children_of(picture);
  std::vector<size_t> target(picture.groups.size());
  std::iota(target.begin(), target.end(), size_t{0});
  for (size_t i = picture.groups.size(); i-- > 1;) {
    if (members[i].size() != 1 || !members[i][0].is_group) continue;
    Group& outer = picture.groups[i];
    const Group& inner = picture.groups[members[i][0].index];
    if (inner.type == "loop") continue;
    target[members[i][0].index] = i;
    outer = {outer.parent, cat(outer.name, ".", inner.name), inner.type, inner.path};
  }
  for (size_t& each : target) each = target[each];  // a parent precedes its children
  for (Node& node : picture.nodes) node.group = target[node.group];
  for (size_t i = 1; i < picture.groups.size(); ++i)
    picture.groups[i].parent = target[picture.groups[i].parent];
}

/// The position of each group's first node.
std::vector<size_t> first_nodes(const Picture& picture) {
  std::vector<size_t> out(picture.groups.size(), picture.nodes.size());
  for (size_t i = 0; i < picture.nodes.size(); ++i) {
    size_t& first = out[picture.nodes[i].group];
    first = std::min(first, i);
  }
  for (size_t i = out.size(); i-- > 1;) {
    size_t& parent = out[picture.groups[i].parent];
    parent = std::min(parent, out[i]);
  }
  return out;
}

std::string name_of(const Picture& picture, const Child& member) {
  return member.is_group ? picture.groups[member.index].name : picture.nodes[member.index].name;
}

constexpr std::string_view kTo = " … ";

/// "a … b", also of members that are parts themselves.
std::string part_name(const Picture& picture, const Child& first, const Child& last) {
  const std::string begin = name_of(picture, first);
  const std::string end = name_of(picture, last);
  const size_t to = end.rfind(kTo);
  return cat(begin.substr(0, begin.find(kTo)), kTo,
             to == std::string::npos ? end : end.substr(to + kTo.size()));
}

/// Parts of equal size: at most kMostMembers members each, and at most so many parts, if possible.
void divide(Picture& picture, size_t group, std::vector<Child> members) {
  while (members.size() > kMostMembers) {
    const size_t parts = (members.size() + kMostMembers - 1) / kMostMembers;
    std::vector<Child> outer;
    for (size_t i = 0; i < parts; ++i) {
      const size_t begin = members.size() * i / parts;
      const size_t end = members.size() * (i + 1) / parts;
      const size_t part = picture.groups.size();
      picture.groups.push_back(
          {group, part_name(picture, members[begin], members[end - 1]), "part", ""});
      for (size_t j = begin; j < end; ++j) set_parent(picture, members[j], part);
      outer.push_back({true, part, members[begin].order});
    }
    members = std::move(outer);
  }
}

void divide_all(Picture& picture) {
  Children all = children_of(picture);
  const std::vector<size_t> first = first_nodes(picture);
  for (size_t group = 0; group < all.size(); ++group) {
    std::vector<Child>& members = all[group];
    if (members.size() <= kMostMembers) continue;
    for (Child& member : members)
      if (member.is_group) member.order = first[member.index];
    std::stable_sort(members.begin(), members.end(),
                     [](const Child& a, const Child& b) { return a.order < b.order; });
    divide(picture, group, std::move(members));
  }
}

/// A parent precedes its children: parts are added after the groups in them.
void sort_groups(Picture& picture) {
  std::vector<std::vector<size_t>> children(picture.groups.size());
  for (size_t i = 1; i < children.size(); ++i) children[picture.groups[i].parent].push_back(i);
  std::vector<size_t> order{0};
  for (size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), children[order[i]].begin(), children[order[i]].end());
  std::vector<size_t> new_index(order.size());
  std::vector<Group> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    new_index[order[i]] = i;
    sorted.push_back(std::move(picture.groups[order[i]]));
  }
  for (Group& group : sorted) group.parent = new_index[group.parent];
  for (Node& node : picture.nodes) node.group = new_index[node.group];
  picture.groups = std::move(sorted);
}

}  // namespace

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::input: return "input";
    case NodeKind::output: return "output";
    case NodeKind::weight: return "weight";
    case NodeKind::layer: return "layer";
    case NodeKind::moves: return "moves";
    case NodeKind::other: return "other";
  }
  internal_error(__FILE__, __LINE__, "no such kind");
}

std::string inner_module(const Picture& picture, const Node& node) {
  const std::string& outer = picture.groups[node.group].path;
  std::string out = node.module;
  if (!outer.empty()) out = out.starts_with(outer + ".") ? out.substr(outer.size() + 1) : "";
  return out == node.label ? "" : out;
}

void arrange(Picture& picture) {
  remove_empty(picture);
  split_calls(picture);
  dissolve_single(picture);
  remove_empty(picture);
  merge_chains(picture);
  remove_empty(picture);
  divide_all(picture);
  sort_groups(picture);
}

}  // namespace t2n::picture
