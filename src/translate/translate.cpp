// SPDX-License-Identifier: Apache-2.0
// Runs the translation of every node and collects all problems in one report.
#include "src/translate/translate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/op_traits.h"
#include "ir/refusal.h"
#include "src/diag/error.h"
#include "src/extend/flatten.h"
#include "src/extend/own_fragments.h"
#include "src/strict/lower.h"
#include "src/target/limits.h"
#include "src/tract_forms/sizes/assertion.h"
#include "src/translate/accepted.h"
#include "src/translate/check_document.h"
#include "src/translate/check_pulses.h"
#include "src/translate/emitter_state.h"
#include "src/translate/nan.h"
#include "src/translate/origins.h"
#include "src/translate/registry.h"
#include "src/translate/unbacked_sizes.h"
#include "src/translate/undefined_sizes.h"

namespace t2n::ops {
namespace {

/// The oldest known version that has a variant of a registered operator.
std::string available_from(const Entry& entry, const target::Target& target) {
  std::optional<target::Version> oldest;
  for (const Variant& variant : entry.variants) {
    const target::Version needed = oldest_version(variant);
    oldest = oldest ? std::min(*oldest, needed) : needed;
  }
  return target::target_name({target.engine, oldest.value_or(target.version)});
}

void explain(Diagnostic& out, const Entry& entry, const target::Target& target) {
  if (entry.refusal) {
    out.why = target::limit_row(entry.refusal->limit).why;
    out.help = entry.refusal->help;
  } else {
    out.why = target.engine == target::Engine::khronos
                  ? "standard NNEF cannot express it"
                  : cat("supported from ", available_from(entry, target), " on");
  }
}

/// What a pass refused.
std::optional<Diagnostic> refused_before(const ir::Node& node, const target::Target& target,
                                         const Registry& table) {
  const std::optional<ir::Refusal> refusal = ir::refusal_of(node);
  if (!refusal) return {};
  Diagnostic out = target::untranslated("unsupported-op", refusal->subject(), target_name(target),
                                        refusal->why, refusal->help, refusal->op);
  // If plain tensors have no translation either, that reason is more helpful.
  const Entry* known = table.find(ir::op_id(refusal->op));
  if (known != nullptr && known->refusal) explain(out, *known, target);
  return out;
}

/// Dropout is random in training only.
std::string help_for_random(const ir::Node& node) {
  return ir::op_name(node.op).find("dropout") != std::string_view::npos
             ? "call model.eval() before saving the model, and pass training=False to functions"
             : "generate the random numbers outside the model, and pass them as an input";
}

/// The operator that a mark replaces, else the node's own.
std::string shown_name(const ir::Node& node) {
  const std::optional<ir::Refusal> refusal = ir::refusal_of(node);
  return refusal ? refusal->op : std::string(ir::op_name(node.op));
}

Diagnostic missing(const ir::Graph& graph, const ir::Node& node, const target::Target& target,
                   const Registry& table) {
  if (auto refused = refused_before(node, target, table)) {
    refused->where = {ir::node_where(graph, node)};
    return *std::move(refused);
  }
  const std::string name = written_name(node);
  Diagnostic out = target::untranslated("unsupported-op", name, target_name(target), {}, {}, name);
  out.where = {ir::node_where(graph, node)};
  if (ir::is_random(node.op)) {
    out.why = target::limit_row(Limit::random_numbers).why;
    out.help = help_for_random(node);
  } else if (name == "t2n::observe") {
    out.why = "observers are inserted for calibration and cannot be exported";
    out.help = "run calculate-qparams and insert-fake-quant after the pass that inserts them";
  } else if (const Entry* entry = table.find(node.op)) {
    explain(out, *entry, target);
  }
  return out;
}

/// Whether the operator is refused, whatever its arguments are.
bool refused_by_name(const ir::Node& node, const target::Target& target, const Registry& table) {
  return ir::refusal_of(node) || table.variant(node.op, target) == nullptr;
}

/// Adds the operator in which a bug or refusal occurred, unless the message names it.
Diagnostic with_op(Diagnostic diagnostic, const ir::Graph& graph, const ir::Node& node) {
  const std::string op(ir::op_name(node.op));
  constexpr std::string_view kColon = ": ";
  if (diagnostic.subject != op) {
    diagnostic.message.insert(0, cat(op, kColon));
    if (!diagnostic.untranslated.empty()) diagnostic.untranslated.insert(0, cat(op, kColon));
  }
  if (diagnostic.where.empty()) diagnostic.where = {ir::node_where(graph, node)};
  return diagnostic;
}

bool is_empty(const ir::Value& value) {
  return std::find(value.shape.begin(), value.shape.end(), Dim(0)) != value.shape.end();
}

/// Results without elements need no operation, and few engines accept empty tensors.
bool translate_empty(const ir::Graph& graph, const ir::Node& node, Emitter& out) {
  for (const ir::ValueId id : node.outputs)
    if (!is_empty(graph.values[id])) return false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ir::Value& value = graph.values[node.outputs[i]];
    // tract cannot read an empty boolean blob.
    const bool is_bool = value.dtype == DType::boolean;
    const Ref zero = out.scalar(0.0, is_bool ? DType::f32 : value.dtype);
    const Ref none = out.full(zero, value.shape);
    out.result(is_bool ? out.call("ne", {none, zero}, {}, DType::boolean, value.shape) : none,
               static_cast<int>(i));
  }
  return true;
}

void translate_node(const ir::Graph& graph, const ir::Node& node, const target::Target& target,
                    const Registry& table, Emitter& out, Problems& problems) {
  const Variant* variant = table.variant(node.op, target);
  const Entry* known = table.find(node.op);
  const bool is_defined = variant == nullptr || !uses_undefined_sizes(graph, node, out);
  try {
    if (!is_defined) {
      // The operation that defines the size was refused, and reported.
    } else if (auto refused = refused_definition(graph, node, target, known)) {
      problems.add(*std::move(refused), false);
    } else if (variant == nullptr) {
      problems.add(missing(graph, node, target, table), known == nullptr || !known->refusal);
    } else {
      out.begin(node);
      if (!defines_sizes(graph, node) && translate_empty(graph, node, out)) return;
      const OpView view(graph, node, variant->nnef, out);
      variant->translate(view, out);
      view.check_all_read();
      keep_nan(out, node);
      emit_runtime_assertions(out);
      return;
    }
  } catch (const Error& error) {
    Diagnostic diagnostic = with_op(error.diagnostic(), graph, node);
    if (diagnostic.id == "internal") throw Error(std::move(diagnostic));
    problems.add(std::move(diagnostic), false);
  }
  problems.refuse(node);
  add_undefined_sizes(graph, node, out);
  out.state().add_placeholders(node);
}

void translate_nodes(const ir::Graph& graph, const target::Target& target, const Registry& table,
                     Emitter& out, Problems& problems) {
  out.state().operators = &table.table();
  out.state().translate_nodes = [&](const ir::Graph& each, Emitter& emitter) {
    for (const ir::Node& node : each.nodes)
      translate_node(each, node, target, table, emitter, problems);
  };
  out.state().translate_nodes(graph, out);
}

/// The assertions about the symbols that the document declares.
void add_assertions(nnef::Document& document, const ir::Graph& graph) {
  const std::vector<ir::Symbol>& known = document.symbols;
  const auto is_declared = [&](const Dim& dim) {
    const auto symbols = dim.symbols();
    return std::all_of(symbols.begin(), symbols.end(), [&](const ir::Symbol& symbol) {
      return std::find(known.begin(), known.end(), symbol) != known.end();
    });
  };
  for (const ir::Comparison& r : ir::relations(graph))
    if (is_declared(r.left) && is_declared(r.right))
      document.assertions.push_back({"", tract_forms::assertion_form(r)});
}

/// The document in standard NNEF. Refused operators are added to the problems.
strict::Lowered in_standard_nnef(const ir::Graph& graph, Emitter& out, Problems& problems) {
  // Data-dependent sizes are refused already; the lowering does not support them.
  if (has_unbacked_sizes(graph)) return {};
  const nnef::Document document = out.finish();
  strict::Lowered lowered = strict::lower(document, out.notes(), out.state().target);
  for (const strict::Refusal& refusal : lowered.refusals) {
    if (refusal.location < 0) continue;
    const ir::Node& node = *out.state().location_nodes[refusal.location];
    problems.add(with_op(refusal.diagnostic, graph, node), false);
    problems.refuse(node);
  }
  return lowered;
}

/// Errors: all problems of the model, including those of the translation.
nnef::Document lowered_document(const ir::Graph& graph, Emitter& out, Problems& problems) {
  strict::Lowered lowered = in_standard_nnef(graph, out, problems);
  problems.raise_if_any();
  T2N_ASSERT(!has_unbacked_sizes(graph), "a data-dependent size reached standard NNEF");
  if (!lowered.refusals.empty()) throw Error(lowered.refusals[0].diagnostic);
  lowered.document = extend::flattened(std::move(lowered.document), extend::extensions().fragments);
  check_strict(lowered.document);
  add_origins(lowered.document, graph, out);
  return std::move(lowered.document);
}

bool is_standard(const target::Target& target) { return target.engine == target::Engine::khronos; }

/// The document of translated nodes, after the target's own checks.
nnef::Document finished(const ir::Graph& graph, const target::Target& target, const Report& report,
                        Emitter& out, Problems& problems) {
  if (is_standard(target)) return lowered_document(graph, out, problems);
  problems.raise_if_any();
  nnef::Document document = out.finish();
  add_assertions(document, graph);
  add_origins(document, graph, out);
  check_tract(document, graph);
  check_pulses(document, graph, out, target);
  report_nan(graph, target, report);
  warn_of_resets(document, out, graph, target, report);
  return document;
}

/// Whether each value depends on one of these inputs.
std::vector<bool> depends_on(const ir::Graph& graph, const std::set<std::string>& inputs) {
  std::vector<bool> out(graph.values.size(), false);
  for (const ir::ValueId id : graph.inputs) out[id] = inputs.contains(graph.values[id].name);
  for (const ir::Node& node : graph.nodes) {
    bool depends = false;
    ir::for_each_input(node, [&](ir::ValueId id) { depends = depends || out[id]; });
    for (const ir::ValueId id : node.outputs) out[id] = depends;
  }
  return out;
}

}  // namespace

nnef::Document translate(const ir::Graph& graph, const target::Target& target, const Report& report,
                         const Registry& table) {
  Problems problems(target);
  check_accepted(graph, target, table.table(), problems, report);
  Emitter out(graph, target);
  translate_nodes(graph, target, table, out, problems);
  return finished(graph, target, report, out, problems);
}

std::optional<Diagnostic> find_refusals(const ir::Graph& graph, const target::Target& target,
                                        const Registry& table, const Substitutes& substitutes) {
  ir::Graph own = graph;
  std::erase_if(own.inputs,
                [&](ir::ValueId id) { return substitutes.inputs.contains(own.values[id].name); });
  Problems problems(target);
  if (!substitutes.only_missing) check_inputs(own, target, problems);
  const std::vector<bool> is_guessed = depends_on(graph, substitutes.guessed);
  Emitter out(graph, target);
  out.state().operators = &table.table();
  out.state().translate_nodes = [&](const ir::Graph& each, Emitter& emitter) {
    for (const ir::Node& node : each.nodes) {
      const bool is_missing = refused_by_name(node, target, table);
      const bool is_own = &each != &graph || node.outputs.empty() || !is_guessed[node.outputs[0]];
      Problems ignored(target);
      translate_node(each, node, target, table, emitter,
                     is_missing || (is_own && !substitutes.only_missing) ? problems : ignored);
    }
  };
  out.state().translate_nodes(graph, out);
  return problems.as_one();
}

NodeStatements translate_by_node(const ir::Graph& graph, const target::Target& target,
                                 const Registry& table) {
  NodeStatements result;
  Problems problems(target);
  check_accepted(graph, target, table.table(), problems, {});
  Emitter out(graph, target);
  translate_nodes(graph, target, table, out, problems);
  try {
    result.document = finished(graph, target, {}, out, problems);
  } catch (const Error& error) {
    result.problem = error.diagnostic();
  }
  const auto note_refused = [&](const ir::Graph& each, const auto& recurse) -> void {
    for (const ir::Node& node : each.nodes) {
      if (problems.is_refused(node)) result.refused.insert(&node);
      if (node.body) recurse(*node.body, recurse);
    }
  };
  note_refused(graph, note_refused);
  result.nodes = statement_nodes(result.document, out);
  return result;
}

std::vector<OpUse> list_ops(const ir::Graph& graph, const target::Target& target,
                            const Registry& table) {
  Problems problems(target);
  check_accepted(graph, target, table.table(), problems, {});
  Emitter emitter(graph, target);
  translate_nodes(graph, target, table, emitter, problems);
  if (is_standard(target)) (void)in_standard_nnef(graph, emitter, problems);
  std::vector<OpUse> out;
  std::map<std::string, size_t> row_of;
  const auto count = [&](const ir::Graph& each, const auto& recurse) -> void {
    for (const ir::Node& node : each.nodes) {
      const auto [row, is_new] = row_of.try_emplace(shown_name(node), out.size());
      if (is_new) out.push_back({row->first, 0, 0, ir::node_where(each, node)});
      OpUse& use = out[row->second];
      ++use.count;
      if (problems.is_refused(node) && use.refused++ == 0) use.first = ir::node_where(each, node);
      if (node.body) recurse(*node.body, recurse);
    }
  };
  count(graph, count);
  return out;
}

}  // namespace t2n::ops
