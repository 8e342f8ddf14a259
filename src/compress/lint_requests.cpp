// Rules about requests of settings, and about what observers and a calibration set have seen.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/compress/grid.h"
#include "src/compress/layers.h"
#include "src/compress/lint_view.h"
#include "src/compress/observe.h"
#include "src/compress/scope_glob.h"
#include "src/compress/settings.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

/// The share of rounded values that may be clipped.
constexpr double kMostClipped = 0.01;

constexpr std::array<std::string_view, 4> kParts = {"weights", "activations", "bias", "prune"};

bool asks_for(const SettingsEntry& entry, std::string_view part) {
  return std::any_of(entry.options.begin(), entry.options.end(), [&](const Option& option) {
    const bool is_off =
        std::holds_alternative<std::monostate>(option.value) || option.value == OptionValue(false);
    if (option.key == part) return !is_off;
    return option.key.starts_with(cat(part, ".")) &&
           !std::holds_alternative<std::monostate>(option.value);
  });
}

bool has(const LintView& view, const Layer& layer, std::string_view part) {
  const auto is_real = [&](ir::ValueId id) { return view.value(id).dtype == ir::DType::f32; };
  if (part == "bias") return layer.bias != ir::kNoValue && is_real(layer.bias);
  if (part == "activations")
    return std::any_of(layer.activations.begin(), layer.activations.end(), is_real);
  return std::any_of(layer.weights.begin(), layer.weights.end(),
                     [&](const Weight& weight) { return is_real(weight.value); });
}

/// Checks one key of a file. Options for all modules apply to those that have it.
void look_for(const SettingsEntry& entry, std::string_view part, const LintView& view,
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
               cat(entry.origin, ": ", quoted(entry.scope), " asks for ", quoted(part),
                   ", of which its layers have none"));
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

/// The share of a range that is not near any integer of the grid.
double share_outside(const Observation& of, size_t channel) {
  const double low = of.low.at(channel);
  const double high = of.high.at(channel);
  if (!(high > low)) return 0;
  const double scale = of.scale.at(channel);
  const auto zero = static_cast<double>(of.zero_point.at(channel));
  const double bottom = (static_cast<double>(lowest(of.grid)) - zero - 0.5) * scale;
  const double top = (static_cast<double>(highest(of.grid)) - zero + 0.5) * scale;
  const double outside = std::max(0.0, bottom - low) + std::max(0.0, high - top);
  return std::min(1.0, outside / (high - low));
}

}  // namespace

void find_idle_settings(const LintView& view, Findings& findings) {
  if (view.context.settings == nullptr) return;
  for (const SettingsEntry& entry : view.context.settings->entries()) {
    if (entry.scope.empty() || entry.origin.starts_with("--")) continue;
    for (const std::string_view part : kParts)
      if (asks_for(entry, part)) look_for(entry, part, view, findings);
  }
}

void find_unseen_ranges(const LintView& view, Findings& findings) {
  for (const ir::Node& node : view.graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation of = read_observation(node);
    if (of.low.empty() && of.scale.empty() && !view.is_known(of.self))
      findings.add("unseen-range", view, node,
                   cat("no range of ", quoted(view.value(of.self).name), " was seen"));
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
              " lies outside of its grid on the calibration set"));
    if (!is_observe(node)) continue;
    const Observation of = read_observation(node);
    double share = 0;
    for (size_t i = 0; i < std::min(of.low.size(), of.scale.size()); ++i)
      share = std::max(share, share_outside(of, i));
    if (share > kMostClipped)
      findings.add("saturation", view, node,
                   cat(percent(share), " % of the range that was seen of ",
                       quoted(view.value(of.self).name), " lies outside of its grid"));
  }
}

}  // namespace t2n::compress
