// The pass `compensate-rounding`: weights that settings want rounded by what they are multiplied
// with are put on the grids of their observers so that the layer's results change least (GPTQ).
#include "src/compress/gptq.h"
#include "src/compress/layers.h"
#include "src/compress/moments.h"
#include "src/compress/observe.h"
#include "src/passes/known.h"
#include "src/passes/pass.h"
#include "src/passes/rewrite.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::Tensor;

/// The reals that integers of a grid stand for, a scale for each row or one for all.
Tensor reals_of(const Tensor& integers, const IntegerGrid& grid) {
  const std::vector<int64_t> codes = ir::to_i64(integers);
  const size_t row = codes.size() / static_cast<size_t>(integers.shape.at(0));
  std::vector<double> out(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t at = grid.scales.size() == 1 ? 0 : i / row;
    out[i] = static_cast<double>(codes[i] - grid.zero_points[at]) * grid.scales[at];
  }
  return ir::tensor_of<double>(ir::DType::f32, integers.shape, out);
}

class Compensating {
 public:
  explicit Compensating(ir::Graph& graph)
      : graph_(graph), constants_(ir::constant_index(graph)), names_(graph) {}

  bool run() {
    const std::vector<int> producers = ir::producers(graph_);
    const std::vector<bool> known = known_values(graph_);
    bool changed = false;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto layer = layer_of(graph_, graph_.nodes[i], known);
      if (!layer || layer->weights.size() != 1) continue;
      const std::vector<double> moments = moments_of(graph_, graph_.nodes[i]);
      const int observer = producers[static_cast<size_t>(layer->weights[0].value)];
      if (moments.empty() || observer < 0) continue;
      changed |= compensate(graph_.nodes[static_cast<size_t>(observer)], moments);
    }
    if (changed) ir::remove_dead(graph_);
    return changed;
  }

 private:
  bool compensate(Node& observer, const std::vector<double>& moments) {
    if (!is_observe(observer)) return false;
    Observation of = read_observation(observer);
    const int index = constants_[static_cast<size_t>(of.self)];
    constexpr int kMostBits = 8;
    if (index < 0 || of.scale.empty() || of.axis.value_or(0) != 0 || of.grid.bits > kMostBits)
      return false;
    const Tensor& weight = graph_.constants[static_cast<size_t>(index)].data;
    const auto width =
        static_cast<double>(weight.elements()) / static_cast<double>(weight.shape[0]);
    if (!passes::is_loaded(weight) || width * width != static_cast<double>(moments.size()))
      return false;
    const IntegerGrid grid = {of.scale, of.zero_point, lowest(of.grid), highest(of.grid)};
    const std::string name = graph_.values[static_cast<size_t>(of.self)].name;
    Tensor rounded = reals_of(compensated_integers(weight, moments, grid), grid);
    of.self = ir::add_constant(graph_, names_.take(name + "_rounded"), std::move(rounded));
    observer.args = observation_arguments(of);
    return true;
  }

  ir::Graph& graph_;
  std::vector<int> constants_;
  passes::FreshNames names_;
};

}  // namespace
}  // namespace t2n::compress

bool t2n::passes::compensate_rounding(ir::Graph& graph, const PassContext& context) {
  if (context.settings == nullptr) return false;
  if (context.calibrate && compress::lacks_moments(graph, *context.settings))
    context.calibrate(graph);
  return graph.attributes.contains(compress::kSecondMoments) && compress::Compensating(graph).run();
}
