// SPDX-License-Identifier: Apache-2.0
// The pass `compensate-rounding` rounds weights with the scales of their observers, where
// settings request it, so that the layer's results change least (GPTQ).
#include <set>

#include "ir/elements.h"
#include "ir/spilled.h"
#include "src/compress/calibrate/moments.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/passes.h"
#include "src/compress/round/gptq.h"
#include "src/compress/settings/settings.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"
#include "src/passes/rewrite.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::Tensor;

/// "" if the weights were rounded, else the reason why not.
using Problem = std::string;

class Compensating {
 public:
  Compensating(ir::Graph& graph, const Settings& settings)
      : graph_(graph),
        settings_(settings),
        constants_(ir::constant_index(graph)),
        producers_(ir::producers(graph)),
        names_(graph) {}

  bool run() {
    const std::vector<bool> known = passes::known_values(graph_);
    bool changed = false;
    for (const Node& node : graph_.nodes) {
      const auto layer = passes::layer_of(graph_, node, known);
      if (!layer || passes::is_lookup(node) || !uses_gptq(settings_.of(graph_, node))) continue;
      if (Problem why = compensate(node, *layer); why.empty())
        changed = true;
      else
        uncompensated_.push_back(cat(ir::node_address(graph_, node), ": ", why));
    }
    if (changed) ir::remove_dead(graph_);
    return changed;
  }

  /// Layers whose weights are rounded to nearest instead, each with the reason.
  const std::vector<std::string>& uncompensated() const { return uncompensated_; }

 private:
  static bool uses_gptq(const NodeSettings& settings) {
    return settings.weights && settings.weights->format == Format::integers &&
           settings.weights->rounding == Rounding::gptq;
  }

  Problem compensate(const Node& node, const passes::Layer& layer) {
    if (Problem why = inputs_problem(graph_, node); !why.empty()) return why;
    if (layer.weights.size() != 1) return "it has several weights";
    const std::vector<double> moments = moments_of(graph_, node);
    if (moments.empty()) return "the calibration set never reached it";
    const int observer = producers_[layer.weights[0].value];
    if (observer < 0 || !is_observe(graph_.nodes[observer]))
      return "its weight is not a constant of 32-bit floats";
    return compensate(graph_.nodes[observer], moments);
  }

  Problem compensate(Node& observer, const std::vector<double>& moments) {
    Observation observation = read_observation(observer);
    const int index = constants_[observation.self];
    constexpr int kMostBits = 8;
    if (index < 0) return done_.contains(observation.self) ? "" : "its weight is not a constant";
    if (observation.scale.empty() || observation.axis.value_or(0) != 0)
      return "it does not have one scale per row";
    if (observation.scheme.bits > kMostBits)
      return cat("integers of ", observation.scheme.bits, " bits are not supported");
    const Tensor& weight = graph_.constants[index].data;
    if (!weight.is_loaded()) return "its values are not loaded";
    const IntegerQParams qparams = {observation.scale, observation.zero_point,
                                    lowest(observation.scheme), highest(observation.scheme)};
    const std::string name = graph_.values[observation.self].name;
    Tensor rounded =
        ir::dequantised(compensated_integers(weight, moments, qparams),
                        {.scales = qparams.scales, .zero_points = qparams.zero_points});
    observation.self =
        ir::add_constant(graph_, names_.take(name + "_rounded"), ir::spilled(std::move(rounded)));
    constants_.resize(graph_.values.size(), -1);  // a second layer finds it rounded
    done_.insert(observation.self);
    observer.args = observation_arguments(observation);
    return "";
  }

  ir::Graph& graph_;
  const Settings& settings_;
  std::vector<int> constants_;
  std::vector<int> producers_;
  passes::FreshNames names_;
  std::set<ir::ValueId> done_;
  std::vector<std::string> uncompensated_;
};

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::compensate_rounding(ir::Graph& graph, const passes::PassContext& context) {
  if (context.settings == nullptr) return false;
  if (context.calibrate && compress::lacks_moments(graph, *context.settings))
    context.calibrate(graph);
  compress::Compensating compensating(graph, *context.settings);
  const bool changed = compensating.run();
  const std::vector<std::string>& uncompensated = compensating.uncompensated();
  warn_of(
      context.report, "rounding-not-compensated", uncompensated,
      cat("the weights of ", uncompensated.size(), uncompensated.size() == 1 ? " layer" : " layers",
          " are rounded to nearest instead of with GPTQ"),
      "set \"rounding\": \"least-squares\" for them, or ignore this warning");
  return changed;
}
