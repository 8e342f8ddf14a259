// SPDX-License-Identifier: Apache-2.0
// One function per part of an artefact.
#include "src/diff/diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/diff/flat_graph.h"
#include "src/diff/match.h"
#include "src/diff/weights.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"
#include "src/spec/states.h"

namespace t2n::diff {
namespace {

using Change = Difference::Kind;
using Texts = std::map<std::string, std::string>;
using Stored = std::map<std::string, const nnef::StoredTensor*>;

class Comparer {
 public:
  Comparer(const nnef::Artefact& a, const nnef::Artefact& b, const Options& options)
      : a_(a),
        b_(b),
        options_(options),
        stored_a_(stored(a)),
        stored_b_(stored(b)),
        graph_a_(flatten(a.document)),
        graph_b_(flatten(b.document)),
        matching_(match(graph_a_, graph_b_)) {}

  Result run() {
    compare_inputs();
    compare_states();
    compare_outputs();
    compare_operations();
    compare_weights();
    compare_texts(Part::quantisation, quantisation_of_a(), quantisation(b_.document.quant));
    compare_texts(Part::extension, extensions(a_), extensions(b_));
    compare_texts(Part::property, properties(a_), properties(b_));
    compare_texts(Part::fragment, fragments(a_), fragments(b_));
    if (options_.names) compare_names();
    return std::move(out_);
  }

 private:
  /// The name of an operation, weight or text in messages.
  struct Subject {
    std::string operation;
    std::string name;
  };
  static Subject named(const std::string& name) { return {{}, name}; }
  static Subject subject_of(const Node& node) { return {node.operation, node.name}; }

  void add(Part part, Change kind, const Subject& subject, std::string aspect = {},
           std::string before = {}, std::string after = {}) {
    out_.differences.push_back({.part = part,
                                .kind = kind,
                                .operation = subject.operation,
                                .subject = subject.name,
                                .aspect = std::move(aspect),
                                .before = std::move(before),
                                .after = std::move(after)});
  }

  void changed(Part part, const Subject& subject, const std::string& aspect,
               const std::string& before, const std::string& after) {
    if (before != after) add(part, Change::changed, subject, aspect, before, after);
  }

  /// Compares names by position; one side may have more.
  void compare_ports(Part part, const std::vector<std::string>& a,
                     const std::vector<std::string>& b) {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= a.size())
        add(part, Change::added, named(b[i]));
      else if (i >= b.size())
        add(part, Change::removed, named(a[i]));
      else
        changed(part, named(a[i]), "name", a[i], b[i]);
    }
  }

  void compare_inputs() {
    compare_ports(Part::input, a_.document.graph.parameters, b_.document.graph.parameters);
    for (const NodeOutput& input : graph_a_.inputs) {
      if (input == kUndefined || !matching_.of_a[input.node]) continue;
      const Node& a = graph_a_.nodes[input.node];
      const Node& b = graph_b_.nodes[*matching_.of_a[input.node]];
      changed(Part::input, named(a.name), "declared by", a.operation, b.operation);
      compare_operands(Part::input, named(a.name), a, b);
    }
  }

  void compare_outputs() {
    const std::vector<std::string>& names = a_.document.graph.results;
    compare_ports(Part::output, names, b_.document.graph.results);
    for (size_t i = 0; i < std::min(graph_a_.results.size(), graph_b_.results.size()); ++i) {
      const NodeOutput& a = graph_a_.results[i];
      const NodeOutput& b = graph_b_.results[i];
      if (a == kUndefined || b == kUndefined) continue;  // never assigned; compare() refuses it
      if (is_rewired(a, b))
        add(Part::output, Change::changed, named(names[i]), "computed by",
            node_str(graph_a_.nodes[a.node]), node_str(graph_b_.nodes[b.node]));
    }
  }

  /// False if one of the two exists on one side only, which is reported separately.
  bool is_rewired(const NodeOutput& a, const NodeOutput& b) const {
    if (a == kUndefined || b == kUndefined) return a != b;
    if (!matching_.of_a[a.node] || !matching_.of_b[b.node]) return false;
    return matching_.of_a[a.node] != b.node || a.output != b.output;
  }

  bool is_same(const Operand& a, const Operand& b) const {
    if (a.text != b.text || a.sources.size() != b.sources.size()) return false;
    for (size_t i = 0; i < a.sources.size(); ++i)
      if (is_rewired(a.sources[i], b.sources[i])) return false;
    return true;
  }

  static const Operand* find(const Node& node, const std::string& parameter) {
    for (const Operand& operand : node.operands)
      if (operand.parameter == parameter) return &operand;
    return nullptr;
  }

  void compare_operands(Part part, const Subject& subject, const Node& a, const Node& b) {
    for (const Operand& operand : a.operands) {
      const Operand* const other = find(b, operand.parameter);
      if (other == nullptr || !is_same(operand, *other))
        add(part, Change::changed, subject, operand.parameter, operand.shown,
            other == nullptr ? "" : other->shown);
    }
    for (const Operand& operand : b.operands)
      if (find(a, operand.parameter) == nullptr)
        add(part, Change::changed, subject, operand.parameter, "", operand.shown);
  }

  static std::set<size_t> input_nodes(const FlatGraph& graph) {
    std::set<size_t> out;
    for (const NodeOutput& input : graph.inputs) out.insert(input.node);
    return out;
  }

  void compare_operations() {
    const std::set<size_t> inputs_a = input_nodes(graph_a_);
    const std::set<size_t> inputs_b = input_nodes(graph_b_);
    for (const size_t node : graph_a_.order) {
      const Node& a = graph_a_.nodes[node];
      if (a.is_variable() || inputs_a.contains(node)) continue;
      if (!matching_.of_a[node]) {
        add(Part::operation, Change::removed, subject_of(a));
        continue;
      }
      ++out_.operations;
      compare_operands(Part::operation, subject_of(a), a, graph_b_.nodes[*matching_.of_a[node]]);
    }
    for (const size_t node : graph_b_.order)
      if (!matching_.of_b[node] && !graph_b_.nodes[node].is_variable() && !inputs_b.contains(node))
        add(Part::operation, Change::added, subject_of(graph_b_.nodes[node]));
  }

  /// Tensors by their labels.
  static Stored stored(const nnef::Artefact& artefact) {
    Stored out;
    for (const nnef::StoredTensor& tensor : artefact.tensors) out.emplace(tensor.label, &tensor);
    return out;
  }

  static const nnef::StoredTensor* find(const Stored& stored, const std::string& label) {
    const auto found = stored.find(label);
    return found == stored.end() ? nullptr : found->second;
  }

  void compare_weights() {
    std::set<std::pair<std::string, std::string>> seen;
    for (const size_t node : graph_a_.order) {
      const Node& a = graph_a_.nodes[node];
      if (!a.is_variable()) continue;
      const nnef::StoredTensor* const ours = find(stored_a_, a.label);
      if (!matching_.of_a[node]) {
        if (ours != nullptr && seen.emplace(a.label, "").second)
          add(Part::weight, Change::removed, named(a.label), "", weight_type(*ours));
        continue;
      }
      const Node& b = graph_b_.nodes[*matching_.of_a[node]];
      const nnef::StoredTensor* const theirs = find(stored_b_, b.label);
      if (ours == nullptr || theirs == nullptr || !seen.emplace(a.label, b.label).second) continue;
      ++out_.weights;
      for (Difference& difference : diff::compare_weights(a.label, *ours, *theirs))
        out_.differences.push_back(std::move(difference));
    }
    add_new_weights();
  }

  void add_new_weights() {
    std::set<std::string> seen;
    for (const size_t node : graph_b_.order) {
      const Node& b = graph_b_.nodes[node];
      if (!b.is_variable() || matching_.of_b[node] || !seen.insert(b.label).second) continue;
      if (const nnef::StoredTensor* const tensor = find(stored_b_, b.label))
        add(Part::weight, Change::added, named(b.label), "", "", weight_type(*tensor));
    }
  }

  void compare_texts(Part part, const Texts& a, const Texts& b) {
    const bool has_values = part != Part::extension;
    for (const auto& [name, text] : a) {
      const auto other = b.find(name);
      if (other == b.end())
        add(part, Change::removed, named(name), "", has_values ? text : "");
      else
        changed(part, named(name), "", text, other->second);
    }
    for (const auto& [name, text] : b)
      if (!a.contains(name)) add(part, Change::added, named(name), "", "", has_values ? text : "");
  }

  static Texts quantisation(const std::vector<nnef::QuantEntry>& entries) {
    Texts out;
    for (const nnef::QuantEntry& entry : entries) {
      nnef::Value call = entry.invocation;
      std::stable_sort(call.arguments.begin(), call.arguments.end(),
                       [](const auto& x, const auto& y) { return x.name < y.name; });
      out[entry.name] = nnef::print(call);
    }
    return out;
  }

  /// The quantisation of a, with b's names of the same tensors.
  Texts quantisation_of_a() const {
    std::vector<nnef::QuantEntry> entries = a_.document.quant;
    Texts names;
    for (size_t node = 0; node < graph_a_.nodes.size(); ++node) {
      if (!matching_.of_a[node]) continue;
      const Node& a = graph_a_.nodes[node];
      const Node& b = graph_b_.nodes[*matching_.of_a[node]];
      for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
        names[a.outputs[i]] = b.outputs[i];
    }
    for (nnef::QuantEntry& entry : entries)
      if (const auto found = names.find(entry.name); found != names.end())
        entry.name = found->second;
    return quantisation(entries);
  }

  static Texts extensions(const nnef::Artefact& artefact) {
    Texts out;
    for (const std::string& text : nnef::extension_lines(artefact.document)) out[text] = "";
    return out;
  }

  static Texts properties(const nnef::Artefact& artefact) {
    Texts out;
    for (auto& [name, value] : spec::properties(artefact.document))
      if (!name.starts_with(spec::kInitialPrefix)) out[name] = std::move(value);
    return out;
  }

  void compare_states() {
    const std::vector<nnef::NamedTensor>& other = b_.document.states;
    for (const nnef::NamedTensor& state : a_.document.states) {
      const auto same = std::find_if(other.begin(), other.end(),
                                     [&](const auto& each) { return each.name == state.name; });
      if (same != other.end() && !ir::same_values(state.value, same->value))
        add(Part::input, Change::changed, named(state.name), "first value",
            spec::first_value_text(state.value), spec::first_value_text(same->value));
    }
  }

  static Texts fragments(const nnef::Artefact& artefact) {
    Texts out;
    for (const nnef::Fragment& fragment : artefact.document.fragments)
      if (fragment.name != spec::kPropertiesFragment) out[fragment.name] = nnef::print(fragment);
    return out;
  }

  void compare_names() {
    const std::set<size_t> inputs = input_nodes(graph_a_);
    for (const size_t node : graph_a_.order) {
      if (!matching_.of_a[node] || inputs.contains(node)) continue;
      const Node& a = graph_a_.nodes[node];
      const Node& b = graph_b_.nodes[*matching_.of_a[node]];
      for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
        changed(Part::name, {a.operation, a.outputs[i]}, "", a.outputs[i], b.outputs[i]);
      changed(Part::name, {a.operation, a.name}, "label", a.label, b.label);
    }
  }

  const nnef::Artefact& a_;
  const nnef::Artefact& b_;
  const Options& options_;
  Stored stored_a_;
  Stored stored_b_;
  FlatGraph graph_a_;
  FlatGraph graph_b_;
  Matching matching_;
  Result out_;
};

}  // namespace

std::string_view part_name(Part part) {
  switch (part) {
    case Part::input: return "inputs";
    case Part::output: return "outputs";
    case Part::operation: return "operations";
    case Part::weight: return "weights";
    case Part::quantisation: return "quantisation";
    case Part::extension: return "extensions";
    case Part::property: return "properties";
    case Part::fragment: return "fragments";
    case Part::name: return "names";
  }
  internal_error(__FILE__, __LINE__, "no such part");
}

namespace {

Difference of_submodel(Difference::Kind kind, const std::string& label) {
  return {.part = Part::operation,
          .kind = kind,
          .operation = "tract_core_submodel",
          .subject = label,
          .aspect = {},
          .before = {},
          .after = {}};
}

/// Adds the differences of submodels, named "label/subject".
void compare_submodels(const nnef::Artefact& a, const nnef::Artefact& b, const Options& options,
                       Result& result) {
  for (const auto& [label, submodel] : a.submodels) {
    const auto other = b.submodels.find(label);
    if (other == b.submodels.end()) {
      result.differences.push_back(of_submodel(Difference::Kind::removed, label));
      continue;
    }
    for (Difference& each : compare(*submodel, *other->second, options).differences) {
      each.subject = cat(label, "/", each.subject);
      result.differences.push_back(std::move(each));
    }
  }
  for (const auto& [label, submodel] : b.submodels)
    if (!a.submodels.contains(label))
      result.differences.push_back(of_submodel(Difference::Kind::added, label));
  std::stable_sort(result.differences.begin(), result.differences.end(),
                   [](const Difference& x, const Difference& y) { return x.part < y.part; });
}

}  // namespace

Result compare(const nnef::Artefact& a, const nnef::Artefact& b, const Options& options) {
  spec::check_document(a.document);
  spec::check_document(b.document);
  Result out = Comparer(a, b, options).run();
  if (!a.submodels.empty() || !b.submodels.empty()) compare_submodels(a, b, options, out);
  return out;
}

}  // namespace t2n::diff
