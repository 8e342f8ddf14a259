// SPDX-License-Identifier: Apache-2.0
// Binds calls to their declarations, so that order and defaults of arguments do not matter.
#include "src/diff/flat_graph.h"

#include <algorithm>
#include <map>
#include <optional>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/spec/bound_call.h"
#include "src/spec/dialect.h"
#include "src/spec/operations.h"

namespace t2n::diff {
namespace {

using nnef::Value;

class Flattener {
 public:
  explicit Flattener(const nnef::Document& document)
      : document_(document), dialect_(spec::dialect_of(document)), fragments_(document) {}

  FlatGraph run() {
    for (const nnef::Assignment& assignment : document_.graph.body) statement(assignment);
    for (const std::string& name : document_.graph.parameters)
      out_.inputs.push_back(find(name).value_or(kUndefined));
    for (const std::string& name : document_.graph.results)
      out_.results.push_back(find(name).value_or(kUndefined));
    set_order();
    return std::move(out_);
  }

 private:
  void statement(const nnef::Assignment& assignment) {
    const size_t node = add_node(assignment.right);
    const auto assigned = nnef::assigned_names(assignment.left);
    std::vector<std::string> names(assigned.begin(), assigned.end());
    for (size_t i = 0; i < names.size(); ++i) sources_[names[i]] = {node, i};
    if (!names.empty()) out_.nodes[node].name = names[0];
    out_.nodes[node].outputs = std::move(names);
  }

  /// Adds its operands first, including those inside expressions.
  size_t add_node(const Value& value) {
    Node node;
    if (value.kind == nnef::Kind::invocation) {
      node.operation = value.text + (value.type.empty() ? "" : cat("<", value.type, ">"));
      node.operands = operands(value);
      set_label(value, node);
    } else {
      node.operation = "=";
      node.operands.push_back(operand("#0", "", value));
    }
    out_.nodes.push_back(std::move(node));
    return out_.nodes.size() - 1;
  }

  static void set_label(const Value& call, Node& node) {
    if (!node.is_variable()) return;
    for (const nnef::Argument& argument : call.arguments)
      if (argument.value.kind == nnef::Kind::string) node.label = argument.value.text;
    std::erase_if(node.operands, [](const Operand& o) { return o.parameter == "label"; });
  }

  const nnef::Fragment* declaration(const std::string& operation) const {
    const nnef::Fragment* const found = fragments_.find(operation);
    return found != nullptr ? found : spec::find_operation(operation, dialect_);
  }

  std::vector<Operand> operands(const Value& call) {
    if (const nnef::Fragment* const known = declaration(call.text)) {
      try {
        return bound_operands(call, *known);
      } catch (const Error&) {
        // Calls without a fitting declaration are compared as written.
      }
    }
    std::vector<Operand> out;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const nnef::Argument& argument = call.arguments[i];
      out.push_back(
          operand(argument.name.empty() ? cat("#", i) : argument.name, "", argument.value));
    }
    return out;
  }

  std::vector<Operand> bound_operands(const Value& call, const nnef::Fragment& known) {
    const spec::Arguments arguments = spec::BoundCall(known, call).arguments();
    std::vector<Operand> out;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i] != nullptr && !is_absent(known.parameters[i], *arguments[i]))
        out.push_back(operand(known.parameters[i].name, known.parameters[i].type, *arguments[i]));
    return out;
  }

  static bool is_absent(const nnef::Parameter& parameter, const Value& value) {
    return spec::may_be_absent(parameter) && value.kind == nnef::Kind::logical && !value.logical;
  }

  Operand operand(const std::string& parameter, const std::string& type, const Value& value) {
    Operand out;
    out.parameter = parameter;
    out.shown = nnef::print(value);
    Value changed = value;
    if (type.starts_with("scalar")) make_scalars(changed);
    resolve(changed, out.sources);
    out.text = nnef::print(changed);
    return out;
  }

  /// `1` and `1.0` are equal where a scalar is declared.
  static void make_scalars(Value& value) {
    if (value.kind == nnef::Kind::integer) value = nnef::scalar(static_cast<double>(value.integer));
    for (Value& item : value.items) make_scalars(item);
  }

  /// Replaces tensors by '%'. Other names are symbols of dimensions.
  void resolve(Value& value, std::vector<NodeOutput>& sources) {
    if (value.kind == nnef::Kind::invocation) {
      sources.push_back({add_node(value), 0});
      value = nnef::dimension(ir::Dim::symbol("%"));
    } else if (value.kind == nnef::Kind::identifier) {
      const auto source = find(value.text);
      if (!source) return;
      sources.push_back(*source);
      value = nnef::dimension(ir::Dim::symbol("%"));
    }
    for (Value& item : value.items) resolve(item, sources);
  }

  std::optional<NodeOutput> find(const std::string& name) const {
    const auto found = sources_.find(name);
    return found == sources_.end() ? std::nullopt : std::optional(found->second);
  }

  void set_order() {
    std::vector<bool> seen(out_.nodes.size(), false);
    for (const NodeOutput& result : out_.results)
      if (result != kUndefined) visit(result.node, seen);
    for (size_t node = 0; node < out_.nodes.size(); ++node) visit(node, seen);
  }

  /// Does not recurse: graphs may be deeper than a stack.
  void visit(size_t root, std::vector<bool>& seen) {
    struct Step {
      size_t node;
      bool leaving;
    };
    std::vector<Step> stack{{root, false}};
    while (!stack.empty()) {
      const auto [node, leaving] = stack.back();
      stack.pop_back();
      if (leaving) out_.order.push_back(node);
      if (leaving || seen[node]) continue;
      seen[node] = true;
      stack.push_back({node, true});
      const std::vector<Operand>& all = out_.nodes[node].operands;
      for (auto operand = all.rbegin(); operand != all.rend(); ++operand)
        for (auto source = operand->sources.rbegin(); source != operand->sources.rend(); ++source)
          stack.push_back({source->node, false});
    }
  }

  const nnef::Document& document_;
  spec::Dialect dialect_;
  nnef::FragmentTable fragments_;
  std::map<std::string, NodeOutput> sources_;
  FlatGraph out_;
};

}  // namespace

FlatGraph flatten(const nnef::Document& document) { return Flattener(document).run(); }

std::string node_str(const Node& node) {
  return node.name.empty() ? node.operation : cat(node.operation, " ", quoted(node.name));
}

}  // namespace t2n::diff
