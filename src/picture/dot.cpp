// SPDX-License-Identifier: Apache-2.0
// Graphviz's own language. Names of its nodes are numbers; texts of the model are quoted labels.
#include <vector>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/picture/formats.h"

namespace t2n::picture {
namespace {

/// Graphviz reads escapes such as \N and \l in labels.
std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string style_of(const Node& node) {
  if (!node.problem.empty()) return ", color=\"#b91c1c\"";
  switch (node.kind) {
    case NodeKind::input:
    case NodeKind::output: return ", shape=ellipse, fillcolor=\"#e3f1e7\"";
    case NodeKind::weight:
    case NodeKind::layer: return ", fillcolor=\"#e4ecfa\"";
    case NodeKind::moves: return ", fillcolor=\"#f1f1f1\"";
    case NodeKind::other: return "";
  }
  internal_error(__FILE__, __LINE__, "no such kind");
}

class DotWriter {
 public:
  explicit DotWriter(const Picture& picture)
      : picture_(picture), children_(picture.groups.size()), nodes_(picture.groups.size()) {
    for (size_t i = 1; i < picture.groups.size(); ++i)
      children_[picture.groups[i].parent].push_back(i);
    for (size_t i = 0; i < picture.nodes.size(); ++i) nodes_[picture.nodes[i].group].push_back(i);
  }

  std::string run() {
    out_ = cat("digraph ", dot_text(picture_.title),
               " {\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
               "fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", "
               "fontsize=8, color=\"#777777\"];\n");
    write_members();
    for (const Edge& edge : picture_.edges) {
      const std::string& type = picture_.nodes[edge.from].results.at(edge.result).type;
      out_ += cat("  n", edge.from, " -> n", edge.to, " [label=", dot_text(type), "];\n");
    }
    return out_ + "}\n";
  }

 private:
  /// Does not recurse: groups may be nested deeper than a stack.
  void write_members() {
    struct Step {
      size_t group;
      bool leaving;
    };
    std::vector<Step> stack{{0, false}};
    while (!stack.empty()) {
      const auto [group, leaving] = stack.back();
      stack.pop_back();
      if (leaving) {
        out_ += "  }\n";
        continue;
      }
      if (group != 0) {
        open(group);
        stack.push_back({group, true});
      }
      for (const size_t node : nodes_[group]) write_node(node);
      for (auto child = children_[group].rbegin(); child != children_[group].rend(); ++child)
        stack.push_back({*child, false});
    }
  }

  void open(size_t group) {
    const Group& each = picture_.groups[group];
    out_ += cat("  subgraph cluster_", group, " {\n    label=",
                dot_text(each.type.empty() ? each.name : cat(each.name, "  ", each.type)),
                ";\n    style=rounded; color=\"#bbbbbb\"; fontname=\"sans-serif\"; "
                "fontsize=10;\n");
  }

  void write_node(size_t index) {
    const Node& node = picture_.nodes[index];
    out_ += cat("    n", index, " [label=", dot_text(node.label), ", tooltip=", dot_text(node.name),
                style_of(node), "];\n");
  }

  const Picture& picture_;
  std::vector<std::vector<size_t>> children_;
  std::vector<std::vector<size_t>> nodes_;
  std::string out_;
};

}  // namespace

std::string dot(const Picture& picture) { return DotWriter(picture).run(); }

}  // namespace t2n::picture
