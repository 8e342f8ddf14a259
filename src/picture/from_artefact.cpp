// SPDX-License-Identifier: Apache-2.0
// A statement that declares a variable becomes a weight of the nodes that read it.
#include "src/picture/from_artefact.h"

#include <algorithm>
#include <map>
#include <optional>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/lint/tensor_types.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"
#include "src/picture/modules.h"
#include "src/picture/statistics.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"
#include "src/spec/operations.h"

namespace t2n::picture {
namespace {

using nnef::Kind;
using nnef::Value;

/// What a name stands for.
struct Defined {
  std::optional<size_t> node;  ///< none for a variable
  size_t result = 0;
  const nnef::Assignment* variable = nullptr;
  bool is_read = false;
};
using Names = std::map<std::string, Defined, std::less<>>;

/// Without the prefixes of tract's own operations.
std::string short_name(const std::string& operation) {
  for (const std::string_view prefix : {"tract_core_", "tract_"})
    if (operation.starts_with(prefix)) return operation.substr(prefix.size());
  return operation;
}

/// Activations give numbers of their operand or zeros, but move nothing.
bool moves_elements(const std::string& operation) {
  const nnef_ops::Operation& row = nnef_ops::book().at(operation);
  return row.is(nnef_ops::kMovesData) && !row.is(nnef_ops::kElementUnary);
}

class ArtefactReader {
 public:
  ArtefactReader(const nnef::Artefact& artefact, Picture& out)
      : artefact_(artefact),
        document_(artefact.document),
        dialect_(spec::dialect_of(document_)),
        fragments_(document_),
        types_(spec::tensor_types(artefact)),
        modules_(document_),
        out_(out) {
    for (const nnef::StoredTensor& tensor : artefact.tensors) tensors_[tensor.label] = &tensor;
  }

  void run() {
    out_.groups[0].name = document_.graph.name;
    const std::string_view text(reinterpret_cast<const char*>(artefact_.text.bytes.data()),
                                artefact_.text.bytes.size());
    const std::vector<Where> locations = nnef::statement_locations(text, "graph.nnef");
    const auto& body = document_.graph.body;
    Names names;
    for (size_t i = 0; i < body.size(); ++i) {
      const bool is_known = i < locations.size() && !locations[i].frames.empty();
      add(body[i], is_known ? locations[i].frames[0].line : 0, names, std::nullopt);
    }
    for (const std::string& result : document_.graph.results) add_output(result, names);
    for (auto& [name, defined] : names)
      if (defined.variable != nullptr && !defined.is_read) variable_node(name, defined);
  }

 private:
  void add(const nnef::Assignment& statement, int line, Names& names,
           const std::optional<size_t>& group) {
    const auto assigned = nnef::assigned_names(statement.left);
    const std::string name = assigned.empty() ? "" : std::string(assigned[0]);
    if (statement.right.text == "variable" && !assigned.empty()) {
      names[name] = {.node = {}, .variable = &statement};
      lines_[&statement] = line;
      const Value* const label = nnef::find_argument(statement.right, "label", 0);
      if (label != nullptr) labels_[name] = label->text;
      return;
    }
    const Value& right = statement.right;
    Node node{.op = right.kind == Kind::invocation ? right.text : "expression", .name = name};
    node.label = short_name(node.op);
    if (right.kind == Kind::invocation && spec::is_external(right)) node.kind = NodeKind::input;
    if (node.kind == NodeKind::input) node.label = name;
    read_operands(right, names, node);
    if (!group) node.module = module_of(statement, node);
    node.group = group ? *group : this->group(node.module);
    if (node.kind == NodeKind::other && moves_elements(node.op))
      node.kind = NodeKind::moves;
    else if (node.kind == NodeKind::other && !node.weights.empty())
      node.kind = NodeKind::layer;
    node.nnef.push_back(statement_line(statement, line));
    if (const nnef::Fragment* const fragment = fragments_.find_defined(node.op))
      node.definition = nnef::print(*fragment);
    for (size_t i = 0; i < assigned.size(); ++i) {
      names[std::string(assigned[i])] = {.node = out_.nodes.size(), .result = i};
      node.results.push_back({std::string(assigned[i]), group ? "" : type_of(assigned[i])});
    }
    const size_t own_group = node.group;
    out_.nodes.push_back(std::move(node));
    if (right.text == "tract_core_scan") add_body(right, name, own_group);
  }

  static Line statement_line(const nnef::Assignment& statement, int line) {
    return {"graph.nnef", line,
            cat(nnef::print(statement.left), " = ", nnef::print(statement.right), ";",
                statement.comment.empty() ? "" : "  # " + statement.comment)};
  }

  std::string type_of(std::string_view name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? "" : spec::type_str(found->second);
  }

  void read_operands(const Value& right, Names& names, Node& node) {
    if (right.kind != Kind::invocation) {
      read(right, "", names, node);
      return;
    }
    const nnef::Fragment* declaration = fragments_.find(right.text);
    if (declaration == nullptr) declaration = spec::find_operation(right.text, dialect_);
    for (size_t i = 0; i < right.arguments.size(); ++i) {
      const nnef::Argument& argument = right.arguments[i];
      std::string parameter = argument.name;
      if (parameter.empty())
        parameter = declaration != nullptr && i < declaration->parameters.size()
                        ? declaration->parameters[i].name
                        : cat("#", i);
      if (!read(argument.value, parameter, names, node))
        node.arguments.emplace_back(parameter, nnef::print(argument.value));
    }
  }

  /// Whether the expression contains tensors.
  bool read(const Value& value, const std::string& operand, Names& names, Node& node) {
    bool has_tensors = false;
    nnef::walk(value, [&](const Value& part) {
      if (part.kind != Kind::identifier) return;
      const auto found = names.find(part.text);
      if (found == names.end()) return;
      has_tensors = true;
      found->second.is_read = true;
      if (found->second.variable != nullptr)
        node.weights.push_back(weight(part.text, operand));
      else
        out_.edges.push_back(
            {*found->second.node, found->second.result, out_.nodes.size(), operand});
    });
    return has_tensors;
  }

  Weight weight(const std::string& name, const std::string& operand) {
    Weight out{operand, name, type_of(name), std::nullopt};
    const auto found = tensors_.find(label_of(name));
    if (found == tensors_.end()) return out;
    const nnef::StoredTensor* const stored = found->second;
    if (!stored->item.starts_with(ir::dtype_name(stored->values.dtype)))
      out.type += cat(" (", stored->item, ")");
    std::optional<Statistics>& known = statistics_[stored];
    if (!known) known = statistics_of(stored->values);
    out.statistics = known;
    return out;
  }

  std::string label_of(const std::string& name) const {
    const auto found = labels_.find(name);
    return found == labels_.end() ? "" : found->second;
  }

  /// The module in its name, or that of its weights.
  std::string module_of(const nnef::Assignment& statement, const Node& node) const {
    std::string module;
    for (const std::string_view name : nnef::assigned_names(statement.left))
      if (module.empty()) module = modules_.of_name(name);
    for (const Weight& each : node.weights)
      if (module.empty()) module = Modules::of_label(label_of(each.name));
    return module;
  }

  /// Adds the groups around it first.
  size_t group(const std::string& module) {
    size_t out = 0;
    for (size_t begin = 0; begin < module.size();) {
      const size_t end = std::min(module.find_first_of("./", begin), module.size());
      const auto [found, is_new] = groups_.try_emplace(module.substr(0, end), out_.groups.size());
      if (is_new)
        out_.groups.push_back({out, module.substr(begin, end - begin), "", module.substr(0, end)});
      out = found->second;
      begin = end + 1;
    }
    return out;
  }

  void add_output(const std::string& result, Names& names) {
    const auto found = names.find(result);
    Node node{.kind = NodeKind::output,
              .op = "output",
              .label = result,
              .name = result,
              .results = {{result, type_of(result)}}};
    if (found != names.end() && found->second.node)
      out_.edges.push_back({*found->second.node, found->second.result, out_.nodes.size(), ""});
    else if (found != names.end())
      node.weights.push_back(weight(result, ""));
    if (found != names.end()) found->second.is_read = true;
    out_.nodes.push_back(std::move(node));
  }

  void variable_node(const std::string& name, const Defined& defined) {
    Node node{.kind = NodeKind::weight,
              .op = "variable",
              .label = "variable",
              .name = name,
              .weights = {weight(name, "")},
              .results = {{name, type_of(name)}},
              .nnef = {statement_line(*defined.variable, lines_[defined.variable])}};
    node.module = Modules::of_label(label_of(name));
    node.group = group(node.module);
    out_.nodes.push_back(std::move(node));
  }

  /// A loop's body is a fragment, whose parameters are its inputs.
  void add_body(const Value& call, const std::string& name, size_t parent) {
    const Value* const body = nnef::find_argument(call, "body", 0);
    const nnef::Fragment* const fragment =
        body != nullptr ? fragments_.find_defined(body->text) : nullptr;
    if (fragment == nullptr || depth_ > 0) return;
    const size_t index = out_.groups.size();
    out_.groups.push_back({parent, cat("body of ", name), "loop", ""});
    Names names;
    for (const nnef::Parameter& parameter : fragment->parameters) {
      names[parameter.name] = {.node = out_.nodes.size()};
      out_.nodes.push_back({.kind = NodeKind::input,
                            .op = "input",
                            .label = parameter.name,
                            .name = parameter.name,
                            .group = index,
                            .results = {{parameter.name, ""}}});
    }
    ++depth_;
    for (const nnef::Assignment& statement : fragment->body) add(statement, 0, names, index);
    --depth_;
  }

  const nnef::Artefact& artefact_;
  const nnef::Document& document_;
  spec::Dialect dialect_;
  nnef::FragmentTable fragments_;
  std::map<std::string, spec::TensorType, std::less<>> types_;
  Modules modules_;
  std::map<std::string, std::string> labels_;  ///< by name
  std::map<const nnef::Assignment*, int> lines_;
  std::map<std::string, const nnef::StoredTensor*, std::less<>> tensors_;  ///< by label
  std::map<const nnef::StoredTensor*, std::optional<Statistics>> statistics_;
  std::map<std::string, size_t> groups_;  ///< by module
  int depth_ = 0;                         ///< of bodies
  Picture& out_;
};

}  // namespace

Picture from_artefact(const nnef::Artefact& artefact, std::string title) {
  Picture out;
  out.title = std::move(title);
  out.origin = "artefact";
  ArtefactReader(artefact, out).run();
  arrange(out);
  return out;
}

}  // namespace t2n::picture
