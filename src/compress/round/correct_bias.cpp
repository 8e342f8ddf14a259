// SPDX-License-Identifier: Apache-2.0
// The pass `correct-bias`: rounding weights shifts the mean of a layer's results; the shift is
// subtracted from the bias. Source: Nagel et al., Data-Free Quantization Through Weight
// Equalization and Bias Correction, 2019, with the means of a calibration set.
#include <algorithm>
#include <optional>

#include "src/compress/calibrate/moments.h"
#include "src/compress/layer_table.h"
#include "src/compress/passes.h"
#include "src/compress/settings/settings.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"
#include "src/passes/rewrite.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::Tensor;

/// For each row, the mean increase of its result, from the mean of its operands.
std::vector<double> mean_errors(const Tensor& before, const Tensor& now, const InputMoments& seen) {
  const std::vector<double> old_values = ir::to_f64(before);
  const std::vector<double> values = ir::to_f64(now);
  const size_t rows = before.shape.at(0);
  const size_t width = values.size() / rows;
  const size_t groups = seen.sum.size() / width;
  T2N_ASSERT(groups > 0 && groups * width == seen.sum.size() && rows % groups == 0, "sums of ",
             seen.sum.size(), " inputs for ", rows, " rows of ", width);
  std::vector<double> out(rows);
  for (size_t row = 0; row < rows; ++row) {
    const double* inputs = &seen.sum[row / (rows / groups) * width];
    for (size_t k = 0; k < width; ++k)
      out[row] += (values[row * width + k] - old_values[row * width + k]) * inputs[k];
    out[row] /= seen.rows;
  }
  return out;
}

class Correcting {
 public:
  Correcting(ir::Graph& graph, const passes::PassContext& context)
      : graph_(graph),
        context_(context),
        before_(graph),
        table_(before_, context.evaluate),
        constants_(ir::constant_index(graph)),
        names_(graph) {}

  bool run() {
    const std::vector<bool> known = passes::known_values(before_);
    bool changed = false;
    for (Node& node : graph_.nodes) {
      const auto layer = passes::layer_of(before_, node, known);
      if (!layer || passes::is_lookup(node) || !context_.settings->of(before_, node).corrects_bias)
        continue;
      const std::string why = correct(node, *layer, changed);
      if (!why.empty()) uncorrected_.push_back(cat(ir::node_address(before_, node), ": ", why));
    }
    if (changed) ir::remove_dead(graph_);
    return changed;
  }

  /// Layers whose bias is not corrected, each with the reason.
  const std::vector<std::string>& uncorrected() const { return uncorrected_; }

 private:
  /// "" unless the layer should have been corrected and was not.
  std::string correct(Node& node, const passes::Layer& layer, bool& changed) {
    if (std::string why = inputs_problem(before_, node); !why.empty()) return why;
    const InputMoments* seen = input_moments(before_, node);
    if (seen == nullptr || seen->rows == 0) return "the calibration set never reached it";
    const auto now = table_.value(layer.weights.at(0).value);
    if (!now || seen->weight.shape != now->shape) return "its weights are not loaded";
    const std::vector<double> errors = mean_errors(seen->weight, *now, *seen);
    if (std::all_of(errors.begin(), errors.end(), [](double each) { return each == 0; })) return "";
    return subtract_errors(node, layer, errors, changed);
  }

  std::string subtract_errors(Node& node, const passes::Layer& layer,
                              const std::vector<double>& errors, bool& changed) {
    const auto argument =
        std::find_if(node.args.begin(), node.args.end(),
                     [](const ir::Argument& each) { return each.name == "bias"; });
    if (argument == node.args.end()) return "it takes no bias";
    std::vector<double> values(errors.size());
    ir::DType dtype = before_.values[layer.weights.at(0).value].dtype;
    std::string name = before_.values[node.outputs.at(0)].name + "_bias";
    if (const auto* ref = std::get_if<ir::TensorRef>(&argument->value)) {
      const int index = constants_[ref->id];
      if (index < 0) return "its bias is not a constant";
      const Tensor& bias = before_.constants[index].data;
      if (!bias.is_loaded()) return "its bias is not loaded";
      values = ir::to_f64(bias);
      dtype = bias.dtype;
      name = before_.values[ref->id].name + "_corrected";
    }
    for (size_t i = 0; i < values.size(); ++i) values[i] -= errors.at(i);
    Tensor data = ir::tensor_of<double>(dtype, {static_cast<int64_t>(values.size())}, values);
    argument->value = ir::TensorRef{ir::add_constant(graph_, names_.take(name), std::move(data))};
    changed = true;
    return "";
  }

  ir::Graph& graph_;
  const passes::PassContext& context_;
  const ir::Graph before_;
  LayerTable table_;
  std::vector<int> constants_;
  passes::FreshNames names_;
  std::vector<std::string> uncorrected_;
};

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::correct_bias(ir::Graph& graph, const passes::PassContext& context) {
  if (context.settings == nullptr || !context.evaluate || context.in_body) return false;
  if (context.calibrate && compress::lacks_moments(graph, *context.settings))
    context.calibrate(graph);
  compress::Correcting correcting(graph, context);
  const bool changed = correcting.run();
  const std::vector<std::string>& uncorrected = correcting.uncorrected();
  warn_of(context.report, "bias-not-corrected", uncorrected,
          cat("the biases of ", uncorrected.size(),
              uncorrected.size() == 1 ? " layer are" : " layers are", " not corrected"),
          "remove \"bias_correction\" from their settings");
  return changed;
}
