// SPDX-License-Identifier: Apache-2.0
// Checks a strict document: its head, its graph, and each statement with its results.
#include "src/lint/strict.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/lint/strict_parts.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

using nnef::Assignment;
using nnef::Document;
using nnef::Kind;
using nnef::Value;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// "", or why the name is not allowed for a tensor or a graph.
std::string name_problem(std::string_view name) {
  if (!nnef::is_plain_identifier(name))
    return cat(quoted(name), " is not an identifier: letters, digits and _, not a digit first");
  return nnef::is_reserved_word(name) ? cat(quoted(name), " is a reserved word") : "";
}

std::string subject(const Names& names) {
  if (names.empty()) return "a statement without a name";
  return names.size() == 1 ? quoted(names[0])
                           : cat(quoted(names[0]), " and ", names.size() - 1, " more");
}

class Lint {
 public:
  Lint(const Document& document, std::span<const Stored> stored)
      : document_(document), stored_(stored) {
    tensors_.reserve(2 * document.graph.body.size());
  }

  std::vector<Violation> run() {
    head();
    signature();
    for (const Assignment& assignment : document_.graph.body) statement(assignment);
    results();
    lint_labels(variables_, tensors_, stored_, violations_);
    lint_quantisation(document_, tensors_, variables_, stored_, violations_);
    return std::move(violations_);
  }

 private:
  /// Reports a problem that is about no result of a statement.
  template <typename... Parts>
  void report(const Parts&... parts) {
    violations_.push_back({"", cat(parts...)});
  }
  template <typename... Parts>
  void report_about(std::string_view name, const Parts&... parts) {
    violations_.push_back({std::string(name), cat(parts...)});
  }
  template <typename... Parts>
  void report_about(const Names& names, const Parts&... parts) {
    report_about(names.empty() ? "" : names[0], subject(names), ": ", parts...);
  }

  void head() {
    for (const std::string& extension : nnef::extension_lines(document_))
      report("extension ", quoted(extension), ": a flat document has none");
    for (const nnef::Fragment& fragment : document_.fragments)
      report("fragment ", quoted(fragment.name), ": a flat document has none");
  }

  void signature() {
    const nnef::Graph& graph = document_.graph;
    if (const std::string problem = name_problem(graph.name); !problem.empty())
      report("the graph: ", problem);
    if (find_operation(graph.name, Dialect::khronos) != nullptr)
      report("the graph: ", quoted(graph.name), " is the name of an operation");
    if (graph.parameters.empty()) report("the graph has no input");
    if (graph.results.empty()) report("the graph has no output");
    for (const std::string& name : graph.parameters)
      if (!parameters_.insert(name).second)
        report_about(name, quoted(name), " is twice an input of the graph");
  }

  void results() {
    for (const std::string& name : document_.graph.parameters)
      if (!tensors_.contains(name)) report("the input ", quoted(name), " is never assigned");
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : document_.graph.results) {
      if (!seen.insert(name).second)
        report_about(name, quoted(name), " is twice an output of the graph: write 'copy'");
      if (parameters_.contains(name))
        report_about(name, quoted(name),
                     " is both an input and an output of the graph: write 'copy'");
      else if (!tensors_.contains(name))
        report("the output ", quoted(name), " is never assigned");
    }
  }

  void statement(const Assignment& assignment) {
    const Names names = nnef::assigned_names(assignment.left);
    if (!is_printable(assignment.comment))
      report_about(names, "its comment contains characters other than printable ASCII");
    try {
      call(assignment);
    } catch (const Error& error) {
      const Diagnostic& found = error.diagnostic();
      report_about(names, found.message, found.help.empty() ? "" : "; ", found.help);
      for (const std::string_view name : names) tensors_.try_emplace(name);
    }
  }

  void call(const Assignment& assignment) {
    const Value& right = assignment.right;
    if (right.kind != Kind::invocation)
      refuse_invalid("its right side is not a call of an operation");
    const Signature& signature = operation_signature(right.text, Dialect::khronos);
    for (const nnef::Argument& argument : right.arguments) expression(right, argument.value);
    const BoundCall bound(*signature.declaration, right);
    order(right, signature, bound.arguments());
    const ItemOf item_of = [&](const Value& value) { return tensors_.at(value.text).item; };
    const std::vector<Item> items = check_types(signature, right, bound.arguments(), item_of);
    const std::vector<AssignedName> names = targets(assignment.left, signature, items);
    const auto shapes = nnef_ops::infer_shapes(bound, [&](std::string_view name) {
      const auto& shape = tensors_.at(name).shape;
      return shape ? &*shape : nullptr;
    });
    if (shapes && shapes->size() != names.size())
      refuse_invalid(cat(quoted(right.text), " results in ", shapes->size(), " tensors, and ",
                         names.size(), " are assigned"));
    define(right, names, shapes);
    special(bound, names);
  }

  /// Flat NNEF allows identifiers, literals, arrays and tuples.
  void expression(const Value& call, const Value& value) {
    if (value.kind == Kind::identifier) return read(call, value);
    if (literal_item(value) != Item::unknown) return literal(call, value);
    if (value.kind == Kind::invocation)
      refuse_invalid(cat(quoted(call.text), " is given a call of ", quoted(value.text),
                         ": in a flat document each call is a statement"));
    if (value.kind != Kind::array && value.kind != Kind::tuple)
      refuse_invalid(
          cat(quoted(call.text), " is given an expression that a flat document does not have"));
    for (const Value& item : value.items) expression(call, item);
  }

  void read(const Value& call, const Value& name) const {
    if (!tensors_.contains(name.text))
      refuse_invalid(cat(quoted(call.text), " reads ", quoted(name.text),
                         ", which no statement before assigns"));
  }

  static void literal(const Value& call, const Value& value) {
    const std::string problem = literal_problem(value);
    if (!problem.empty()) refuse_invalid(cat(quoted(call.text), ": ", problem));
  }

  /// Tensors are positional, attributes are named (§3.3.2, invocations).
  void order(const Value& call, const Signature& signature, const Arguments& arguments) {
    const auto& parameters = signature.declaration->parameters;
    for (const nnef::Argument& argument : call.arguments) {
      const auto found = std::find(arguments.begin(), arguments.end(), &argument.value);
      const size_t index = found - arguments.begin();
      const bool is_tensor = holds_tensors(signature.parameters[index]);
      if (is_tensor == argument.name.empty()) continue;
      refuse_invalid(cat(quoted(call.text), ": the ", is_tensor ? "tensor " : "attribute ",
                         quoted(parameters[index].name),
                         is_tensor ? " is given by name, and tensors are positional"
                                   : " is given without its name"));
    }
  }

  void define(const Value& call, const std::vector<AssignedName>& names,
              const std::optional<std::vector<ir::Ints>>& shapes) {
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string_view name = names[i].name;
      if (const std::string problem = name_problem(name); !problem.empty())
        report_about(name, problem);
      TensorFacts facts{names[i].item, std::nullopt, call.text, {}};
      if (shapes) facts.shape = (*shapes)[i];
      if (!tensors_.emplace(name, std::move(facts)).second)
        report_about(name, quoted(name), " is assigned twice");
    }
  }

  /// Rules of single operations that concern more than their own call.
  void special(const BoundCall& call, const std::vector<AssignedName>& names) {
    const std::string_view operation = call.operation();
    if (operation == "variable") {
      variables_.push_back(names[0].name);
      tensors_[names[0].name].label = call.text("label");
    } else if (operation == "update") {
      update(call.value("variable"));
    } else if (operation == "slice") {
      slice(call);
    }
    const bool is_external = operation == "external";
    for (const AssignedName& target : names)
      if (is_external != parameters_.contains(target.name))
        refuse_invalid(is_external ? "'external' assigns a tensor that is not an input of the graph"
                                   : "an input of the graph can only be assigned by 'external'");
  }

  void update(const Value& variable) {
    if (variable.kind != Kind::identifier || tensors_.at(variable.text).operation != "variable")
      refuse_invalid("'update': its first operand is not a variable");
    if (!updated_.insert(variable.text).second)
      refuse_invalid(cat("'update': ", quoted(variable.text), " is updated twice"));
  }

  static void slice(const BoundCall& call) {
    const Ints strides = call.ints("stride"), ends = call.ints("end");
    const bool is_plain =
        std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 1; });
    if (is_plain && std::find(ends.begin(), ends.end(), 0) != ends.end())
      refuse_invalid(
          "'slice': an end of 0 for the remaining entries is deprecated: write the extent");
  }

  const Document& document_;
  std::span<const Stored> stored_;
  std::vector<Violation> violations_;
  TensorTable tensors_;
  Names variables_;
  std::unordered_set<std::string_view> parameters_;
  std::unordered_set<std::string_view> updated_;
};

}  // namespace

std::string literal_problem(const Value& value) {
  if (value.kind == Kind::scalar && !std::isfinite(value.number))
    return "infinities and NaN have no literal: store them in a variable";
  // From half an ulp above the largest f32 on, readers round to infinity.
  constexpr double kTooLarge = 0x1.ffffffp127;
  if (value.kind == Kind::scalar && std::abs(value.number) >= kTooLarge)
    return "a scalar exceeds the range of f32";
  if (value.kind == Kind::string &&
      (!is_printable(value.text) || value.text.find_first_of("'\"") != std::string::npos))
    return "a string contains quotes or characters other than printable ASCII";
  return "";
}

std::vector<Violation> lint_strict(const Document& document, std::span<const Stored> stored) {
  return Lint(document, stored).run();
}

std::vector<Violation> lint_strict(const Document& document) {
  std::vector<Stored> stored;
  for (const nnef::Blob& blob : document.blobs)
    stored.push_back(
        {blob.label, blob.shape, blob.dtype, blob.quantised, 0, blob.q4_0 ? "q4_0" : ""});
  return lint_strict(document, stored);
}

std::vector<Violation> lint_strict(const nnef::Artefact& artefact) {
  std::vector<Stored> stored;
  for (const nnef::StoredTensor& tensor : artefact.tensors)
    stored.push_back({tensor.label, tensor.values.shape, tensor.values.dtype, tensor.quantised,
                      tensor.bits, tensor.item.starts_with("q4_0") ? tensor.item : ""});
  return lint_strict(artefact.document, stored);
}

}  // namespace t2n::spec
