// SPDX-License-Identifier: Apache-2.0
// One node per operation; constants become weights of the nodes that read them.
#include "src/picture/from_graph.h"

#include <algorithm>
#include <optional>

#include "ir/op_traits.h"
#include "ir/readable.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/picture/statistics.h"

namespace t2n::picture {
namespace {

std::string value_type(const ir::Value& value) {
  return ir::type_text(value.dtype, value.shape) + (value.quant ? " quantised" : "");
}

/// "aten::add.Tensor" -> "aten::add"
std::string_view without_overload(std::string_view name) {
  const size_t colons = name.find("::");
  return name.substr(0, name.find('.', colons == std::string_view::npos ? 0 : colons));
}

std::vector<Line> source_lines(const ir::Graph& graph, const ir::Node& node) {
  std::vector<Line> out;
  if (node.source == ir::kNoSource) return out;
  const ir::Source& source = graph.sources.at(static_cast<size_t>(node.source));
  for (const Frame& frame : source.frames)
    out.push_back({frame.file, frame.line, "", frame.function});
  if (!out.empty()) out.front().text = source.excerpt;
  return out;
}

class GraphReader {
 public:
  GraphReader(const ir::Graph& graph, const Exported& exported, size_t root, Picture& out)
      : graph_(graph),
        exported_(exported),
        out_(out),
        root_(root),
        constants_(ir::constant_index(graph)),
        statistics_(graph.constants.size()),
        definitions_(graph.values.size()) {}

  void run() {
    add_groups();
    for (const ir::ValueId id : graph_.inputs) add_input(id);
    for (const ir::Node& node : graph_.nodes) add_node(node);
    for (size_t i = 0; i < graph_.outputs.size(); ++i) add_output(i);
  }

 private:
  const ir::Value& value(ir::ValueId id) const { return graph_.values.at(static_cast<size_t>(id)); }

  void add_groups() {
    groups_.push_back(root_);
    if (root_ == 0) out_.groups[0].type = graph_.scopes[0].module_class;
    for (size_t i = 1; i < graph_.scopes.size(); ++i) {
      const ir::Scope& scope = graph_.scopes[i];
      groups_.push_back(out_.groups.size());
      const bool is_root = scope.parent < 0;
      out_.groups.push_back({is_root ? root_ : groups_.at(static_cast<size_t>(scope.parent)),
                             scope.attribute, scope.module_class,
                             ir::module_path(graph_, static_cast<ir::ScopeId>(i))});
    }
  }

  void add_input(ir::ValueId id) {
    define(id, out_.nodes.size(), 0);
    out_.nodes.push_back({.kind = NodeKind::input,
                          .op = "input",
                          .label = value(id).name,
                          .name = value(id).name,
                          .group = root_,
                          .results = {{value(id).name, value_type(value(id))}}});
  }

  void add_output(size_t i) {
    const ir::ValueId id = graph_.outputs[i];
    const std::string& name =
        i < graph_.output_names.size() ? graph_.output_names[i] : value(id).name;
    Node node{.kind = NodeKind::output,
              .op = "output",
              .label = name,
              .name = name,
              .group = root_,
              .results = {{name, value_type(value(id))}}};
    read(id, "", node);
    out_.nodes.push_back(std::move(node));
  }

  void define(ir::ValueId id, size_t node, size_t result) {
    definitions_.at(static_cast<size_t>(id)) = Definition{node, result};
  }

  void add_node(const ir::Node& node) {
    const std::string_view op = ir::op_name(node.op);
    Node out{
        .op = std::string(op),
        .label = std::string(ir::op_short_name(node.op)),
        .name = node.outputs.empty() ? ir::node_address(graph_, node) : value(node.outputs[0]).name,
        .group = groups_.at(static_cast<size_t>(node.scope)),
        .module = ir::module_path(graph_, node.scope),
        .module_class = graph_.scopes.at(static_cast<size_t>(node.scope)).module_class,
        .source = source_lines(graph_, node)};
    for (const ir::Argument& argument : node.args) add_argument(argument, out);
    const size_t index = out_.nodes.size();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      define(node.outputs[i], index, i);
      out.results.push_back({value(node.outputs[i]).name, value_type(value(node.outputs[i]))});
    }
    if (ir::has_trait(without_overload(op), ir::OpTrait::moves_elements))
      out.kind = NodeKind::moves;
    if (!out.weights.empty() && out.kind == NodeKind::other) out.kind = NodeKind::layer;
    if (const auto found = exported_.statements.find(&node); found != exported_.statements.end())
      out.nnef = found->second;
    if (const auto found = exported_.problems.find(&node); found != exported_.problems.end())
      out.problem = found->second;
    const std::string name = out.name;
    const size_t group = out.group;
    out_.nodes.push_back(std::move(out));
    if (node.body) add_body(*node.body, name, group);
  }

  void add_argument(const ir::Argument& argument, Node& out) {
    bool has_tensors = false;
    ir::for_each_ref(argument.value, [&](ir::ValueId id) {
      has_tensors = true;
      read(id, argument.name, out);
    });
    if (!has_tensors && !std::holds_alternative<ir::None>(argument.value))
      out.arguments.emplace_back(argument.name, ir::attr_str(argument.value, [](ir::ValueId) {
                                   return std::string("none");
                                 }));
  }

  /// Adds an operand of the node that is about to be added.
  void read(ir::ValueId id, const std::string& operand, Node& node) {
    const int constant = constants_.at(static_cast<size_t>(id));
    if (constant >= 0) {
      node.weights.push_back({operand, value(id).name, value_type(value(id)),
                              statistics(static_cast<size_t>(constant))});
    } else if (const auto& from = definitions_.at(static_cast<size_t>(id))) {
      out_.edges.push_back({from->node, from->result, out_.nodes.size(), operand});
    }
  }

  std::optional<Statistics> statistics(size_t constant) {
    const ir::Tensor& data = graph_.constants[constant].data;
    std::optional<Statistics>& out = statistics_[constant];
    if (!out && data.is_loaded()) out = statistics_of(data);
    return out;
  }

  void add_body(const ir::Graph& body, const std::string& name, size_t group) {
    const size_t index = out_.groups.size();
    out_.groups.push_back({group, cat("body of ", name), "loop", ""});
    GraphReader(body, exported_, index, out_).run();
  }

  struct Definition {
    size_t node;
    size_t result;
  };

  const ir::Graph& graph_;
  const Exported& exported_;
  Picture& out_;
  size_t root_;
  std::vector<int> constants_;
  std::vector<std::optional<Statistics>> statistics_;   ///< by constant
  std::vector<std::optional<Definition>> definitions_;  ///< by value
  std::vector<size_t> groups_;                          ///< by scope
};

}  // namespace

Picture from_graph(const ir::Graph& graph, std::string title, std::string origin,
                   const Exported& exported) {
  Picture out;
  out.title = std::move(title);
  out.origin = std::move(origin);
  out.groups[0].name = graph.name;
  GraphReader(graph, exported, 0, out).run();
  arrange(out);
  return out;
}

}  // namespace t2n::picture
