// SPDX-License-Identifier: Apache-2.0
#include "src/compress/explain/folded_modules.h"

#include <algorithm>
#include <optional>
#include <string>

#include "src/compress/settings/scope_glob.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

bool contains_layer(const Graph& graph, const std::string& scope) {
  const std::vector<bool> known = passes::known_values(graph);
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return (matched_depth(graph, node, scope) && passes::layer_of(graph, node, known)) ||
           (node.body && contains_layer(*node.body, scope));
  });
}

/// The layer that produces an operand of a scope's first operation.
std::optional<size_t> producing_layer(const Graph& graph, const std::string& scope) {
  const std::vector<int> producers = ir::producers(graph);
  const std::vector<bool> known = passes::known_values(graph);
  for (const Node& node : graph.nodes) {
    if (!matched_depth(graph, node, scope)) continue;
    std::optional<size_t> out;
    ir::for_each_input(node, [&](ValueId id) {
      const int at = producers[id];
      if (out || at < 0) return;
      const size_t index = at;
      if (passes::layer_of(graph, graph.nodes[index], known)) out = index;
    });
    return out;
  }
  return std::nullopt;
}

Diagnostic folded(const Graph& before, const SettingsEntry& entry, const Settings& settings) {
  Diagnostic out;
  out.severity = Severity::warning;
  out.id = "module-folded";
  const std::string origin = entry.origin.empty() ? "" : cat(", of ", entry.origin, ",");
  const auto layer = producing_layer(before, entry.scope);
  if (!layer) {
    out.message =
        cat(quoted(entry.scope), origin,
            " matches only operations that are constant-folded: its settings have no effect");
    out.help = "remove this entry";
    return out;
  }
  const Node& node = before.nodes[*layer];
  const std::string module = ir::module_path(before, node.scope);
  const std::string name = quoted(module.empty() ? ir::node_address(before, node) : module);
  const NodeSettings requested = settings.of(before, node);
  const bool is_compressed = requested.requests_any() || requested.corrects_bias;
  out.where.push_back(ir::node_where(before, node));
  if (entry.kind == SettingsEntry::Kind::settings) {
    out.message =
        cat(quoted(entry.scope), origin, " is folded into ", name, ": its settings have no effect");
    out.help = cat("say it of ", name);
    return out;
  }
  out.message = cat(quoted(entry.scope), origin, " is folded into ", name,
                    is_compressed ? ", and compressed with it" : ", which is not compressed");
  out.help = is_compressed ? cat("exclude both with --ignore ", module) : "remove this entry";
  return out;
}

void require_layers(const Graph& after, const SettingsEntry& entry) {
  if (contains_layer(after, entry.scope)) return;
  throw Error(
      "usage", cat("--only ", quoted(entry.scope), " names no layer with weights"),
      "batch norms are folded into the layers in front of them, and other modules have none",
      "name the layers that are to be compressed");
}

}  // namespace

void report_folded(const Graph& before, const Graph& after, const Settings& settings,
                   const Report& report) {
  for (const SettingsEntry& entry : settings.entries()) {
    if (entry.scope.empty()) continue;
    if (entry.kind == SettingsEntry::Kind::only) require_layers(after, entry);
    if (report && !names_any(after, entry.scope)) report(folded(before, entry, settings));
  }
}

}  // namespace t2n::compress
