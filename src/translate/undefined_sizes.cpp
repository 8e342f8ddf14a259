// SPDX-License-Identifier: Apache-2.0
#include "src/translate/undefined_sizes.h"

#include <algorithm>
#include <set>
#include <string>

#include "src/target/limits.h"
#include "src/translate/emitter_state.h"
#include "src/translate/problems.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

using Names = std::set<std::string>;

void add_unbacked_of(const ir::Graph& graph, ir::ValueId id, Names& out) {
  for (const Dim& size : graph.values[id].shape) add_unbacked(size, out);
}

Names used_by(const ir::Graph& graph, const ir::Node& node) {
  Names out;
  ir::for_each_input(node, [&](ir::ValueId id) { add_unbacked_of(graph, id, out); });
  for (const ir::Argument& argument : node.args)
    for (const Dim& size : ir::dims(argument.value)) add_unbacked(size, out);
  return out;
}

/// The sizes that the operation defines.
Names defined_by(const ir::Graph& graph, const ir::Node& node) {
  Names out;
  for (const ir::ValueId id : node.outputs) add_unbacked_of(graph, id, out);
  for (const std::string& name : used_by(graph, node)) out.erase(name);
  return out;
}

/// A number that the model reads from a tensor is recorded as repeat_interleave of one entry.
bool is_read_number(const ir::Graph& graph, const ir::Node& node) {
  const ir::Attr* const argument = node.find("repeats");
  return ir::op_name(node.op) == "aten::repeat_interleave.Tensor" && argument != nullptr &&
         graph.values[std::get<ir::TensorRef>(*argument).id].shape == Shape{Dim(1)};
}

}  // namespace

bool has_unbacked_sizes(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return !used_by(graph, node).empty() || defines_sizes(graph, node) ||
           (node.body && has_unbacked_sizes(*node.body));
  });
}

bool defines_sizes(const ir::Graph& graph, const ir::Node& node) {
  return !defined_by(graph, node).empty();
}

bool uses_undefined_sizes(const ir::Graph& graph, const ir::Node& node, Emitter& out) {
  const Names& undefined_sizes = out.state().outermost().unbacked.undefined;
  if (undefined_sizes.empty()) return false;
  const Names used = used_by(graph, node);
  return std::any_of(used.begin(), used.end(),
                     [&](const std::string& name) { return undefined_sizes.contains(name); });
}

void add_undefined_sizes(const ir::Graph& graph, const ir::Node& node, Emitter& out) {
  for (const std::string& name : defined_by(graph, node))
    if (!out.state().unbacked.sizes.contains(name))
      out.state().outermost().unbacked.undefined.insert(name);
}

std::optional<Diagnostic> refused_definition(const ir::Graph& graph, const ir::Node& node,
                                             const target::Target& target, const Entry* entry) {
  if (entry == nullptr) return {};
  const std::string_view op = ir::op_name(node.op);
  const bool is_repeat =
      op == "aten::repeat_interleave.Tensor" || op == "aten::repeat_interleave.self_Tensor";
  const target::Feature needed =
      is_repeat ? target::Feature::core_cumsum : target::Feature::non_zero;
  target::Version since = target::feature_row(needed).since;
  const bool has_variant =
      std::any_of(entry->variants.begin(), entry->variants.end(),
                  [&](const Variant& variant) { return oldest_version(variant) < since; });
  if (!is_repeat && has_variant) return {};
  for (const Variant& variant : entry->variants) since = std::max(since, oldest_version(variant));
  const bool is_too_old = target.engine == target::Engine::khronos || target.version < since;
  if (!is_too_old || !defines_sizes(graph, node)) return {};
  const std::string name = is_read_number(graph, node) ? "aten::item" : written_name(node);
  Diagnostic out =
      target::untranslated("unsupported-op", name, target_name(target),
                           std::string(target::limit_row(target::Limit::data_dependent_shape).why),
                           cat("export for tract ", target::version_str(since), " or newer"), name);
  out.where = {ir::node_where(graph, node)};
  return out;
}

}  // namespace t2n::ops
