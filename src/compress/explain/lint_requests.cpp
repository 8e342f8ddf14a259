// SPDX-License-Identifier: Apache-2.0
// Rules about settings, and about the ranges of observers and of a calibration set.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"
#include "src/compress/explain/lint_graph.h"
#include "src/compress/settings/scope_glob.h"
#include "src/compress/settings/settings.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

/// The share of rounded values that may be clipped.
constexpr double kMostClipped = 0.01;

constexpr std::array<std::string_view, 4> kParts = {"weights", "activations", "bias", "prune"};

bool requests(const SettingsEntry& entry, std::string_view part) {
  return std::any_of(entry.options.begin(), entry.options.end(), [&](const Option& option) {
    const bool is_off =
        std::holds_alternative<std::monostate>(option.value) || option.value == OptionValue(false);
    if (option.key == part) return !is_off;
    return option.key.starts_with(cat(part, ".")) &&
           !std::holds_alternative<std::monostate>(option.value);
  });
}

bool has(const ir::Graph& graph, const passes::Layer& layer, std::string_view part) {
  const auto is_f32 = [&](ir::ValueId id) { return graph.values[id].dtype == ir::DType::f32; };
  if (part == "bias") return layer.bias != ir::kNoValue && is_f32(layer.bias);
  if (part == "activations")
    return std::any_of(layer.activations.begin(), layer.activations.end(), is_f32);
  return std::any_of(layer.weights.begin(), layer.weights.end(),
                     [&](const passes::Weight& weight) { return is_f32(weight.value); });
}

/// Checks that a key of a settings file applies to at least one layer.
void check_part(const SettingsEntry& entry, std::string_view part, LintedGraph& linted) {
  std::optional<size_t> first;
  for (size_t i = 0; i < linted.graph.nodes.size(); ++i) {
    const ir::Node& node = linted.graph.nodes[i];
    if (!matched_depth(linted.graph, node, entry.scope)) continue;
    if (!first) first = i;
    const auto layer = passes::layer_of(linted.graph, node, linted.known);
    if (layer && has(linted.graph, *layer, part)) return;
  }
  if (!first) return;
  linted.add("idle-setting", *first,
             cat(entry.origin, ": ", quoted(entry.scope), " requests ", quoted(part),
                 ", which none of its layers has"));
}

/// Nothing for graphs that cannot run operation by operation, as with quantised operators.
std::map<std::string, double> clipped_in(const LintedGraph& linted) {
  if (!linted.context.clipped) return {};
  try {
    return linted.context.clipped(linted.graph);
  } catch (const Error& error) {
    if (error.diagnostic().id == "calibration") throw;  // it is about the user's data
    return {};
  }
}

double percent(double share) { return std::round(1000 * share) / 10; }

/// The share of a range that is clipped.
double share_outside(const Observation& observation, size_t channel) {
  const double low = observation.low.at(channel);
  const double high = observation.high.at(channel);
  if (!(high > low)) return 0;
  const double scale = observation.scale.at(channel);
  const auto zero = static_cast<double>(observation.zero_point.at(channel));
  const double bottom = (static_cast<double>(lowest(observation.scheme)) - zero - 0.5) * scale;
  const double top = (static_cast<double>(highest(observation.scheme)) - zero + 0.5) * scale;
  const double outside = std::max(0.0, bottom - low) + std::max(0.0, high - top);
  return std::min(1.0, outside / (high - low));
}

void find_unused_settings(LintedGraph& linted) {
  if (linted.context.settings == nullptr) return;
  for (const SettingsEntry& entry : linted.context.settings->entries()) {
    if (entry.scope.empty() || entry.origin.starts_with("--")) continue;
    for (const std::string_view part : kParts)
      if (requests(entry, part)) check_part(entry, part, linted);
  }
}

/// Of one node: ranges that were never seen, and those beyond the quantised ones.
void examine_range(LintedGraph& linted, size_t index,
                   const std::map<std::string, double>& clipped) {
  const ir::Node& node = linted.graph.nodes[index];
  const auto name = [&](ir::ValueId id) { return quoted(linted.graph.values[id].name); };
  const auto found = clipped.find(linted.graph.values[node.outputs.at(0)].name);
  if (found != clipped.end() && found->second > kMostClipped)
    linted.add("saturation", index,
               cat(percent(found->second), " % of ", name(ir::operand(node, "self")),
                   " is clipped on the calibration set"));
  if (!is_observe(node)) return;
  const Observation observation = read_observation(node);
  if (observation.low.empty() && observation.scale.empty() && !linted.known[observation.self])
    linted.add("unseen-range", index, cat("no range of ", name(observation.self), " was seen"));
  double share = 0;
  for (size_t i = 0; i < std::min(observation.low.size(), observation.scale.size()); ++i)
    share = std::max(share, share_outside(observation, i));
  if (share > kMostClipped)
    linted.add(
        "saturation", index,
        cat(percent(share), " % of the recorded range of ", name(observation.self), " is clipped"));
}

}  // namespace

void examine_requests(LintedGraph& linted) {
  find_unused_settings(linted);
  const std::map<std::string, double> clipped = clipped_in(linted);
  for (size_t i = 0; i < linted.graph.nodes.size(); ++i) examine_range(linted, i, clipped);
}

}  // namespace t2n::compress
