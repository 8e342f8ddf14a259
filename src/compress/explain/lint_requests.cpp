// Rules about settings, and about the ranges of observers and of a calibration set.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"
#include "src/compress/explain/lint_view.h"
#include "src/compress/layers.h"
#include "src/compress/settings/scope_glob.h"
#include "src/compress/settings/settings.h"
#include "src/diag/error.h"

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

bool has(const LintView& view, const Layer& layer, std::string_view part) {
  const auto is_f32 = [&](ir::ValueId id) { return view.value(id).dtype == ir::DType::f32; };
  if (part == "bias") return layer.bias != ir::kNoValue && is_f32(layer.bias);
  if (part == "activations")
    return std::any_of(layer.activations.begin(), layer.activations.end(), is_f32);
  return std::any_of(layer.weights.begin(), layer.weights.end(),
                     [&](const Weight& weight) { return is_f32(weight.value); });
}

/// Checks that a key of a settings file applies to at least one layer.
void check_part(const SettingsEntry& entry, std::string_view part, const LintView& view,
                Findings& findings) {
  const ir::Node* first = nullptr;
  for (const ir::Node& node : view.graph.nodes) {
    if (!matched_depth(view.graph, node, entry.scope)) continue;
    if (first == nullptr) first = &node;
    const auto layer = layer_of(view.graph, node, view.known);
    if (layer && has(view, *layer, part)) return;
  }
  if (first == nullptr) return;
  findings.add("idle-setting", view, *first,
               cat(entry.origin, ": ", quoted(entry.scope), " requests ", quoted(part),
                   ", which none of its layers has"));
}

/// Nothing for graphs that cannot run operation by operation, as with quantised operators.
std::map<std::string, double> clipped_in(const LintView& view) {
  if (!view.context.clipped) return {};
  try {
    return view.context.clipped(view.graph);
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

}  // namespace

void find_unused_settings(const LintView& view, Findings& findings) {
  if (view.context.settings == nullptr) return;
  for (const SettingsEntry& entry : view.context.settings->entries()) {
    if (entry.scope.empty() || entry.origin.starts_with("--")) continue;
    for (const std::string_view part : kParts)
      if (requests(entry, part)) check_part(entry, part, view, findings);
  }
}

void find_unseen_ranges(const LintView& view, Findings& findings) {
  for (const ir::Node& node : view.graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation observation = read_observation(node);
    if (observation.low.empty() && observation.scale.empty() && !view.is_known(observation.self))
      findings.add("unseen-range", view, node,
                   cat("no range of ", quoted(view.value(observation.self).name), " was seen"));
  }
}

void find_saturation(const LintView& view, Findings& findings) {
  const std::map<std::string, double> clipped = clipped_in(view);
  for (const ir::Node& node : view.graph.nodes) {
    const auto found = clipped.find(view.value(node.outputs.at(0)).name);
    if (found != clipped.end() && found->second > kMostClipped)
      findings.add(
          "saturation", view, node,
          cat(percent(found->second), " % of ", quoted(view.value(ir::operand(node, "self")).name),
              " is clipped on the calibration set"));
    if (!is_observe(node)) continue;
    const Observation observation = read_observation(node);
    double share = 0;
    for (size_t i = 0; i < std::min(observation.low.size(), observation.scale.size()); ++i)
      share = std::max(share, share_outside(observation, i));
    if (share > kMostClipped)
      findings.add("saturation", view, node,
                   cat(percent(share), " % of the recorded range of ",
                       quoted(view.value(observation.self).name), " is clipped"));
  }
}

}  // namespace t2n::compress
