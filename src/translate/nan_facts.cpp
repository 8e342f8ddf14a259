// SPDX-License-Identifier: Apache-2.0
// Propagates NaN that the program creates through a graph.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/translate/nan.h"
#include "src/translate/nan_sizes.h"

namespace t2n::ops {
namespace {

bool is_minus_infinity(double value) { return value == -std::numeric_limits<double>::infinity(); }

/// Whether all elements of a row along the last axis are -inf.
bool has_masked_row(const ir::Shape& shape, const std::vector<double>& values) {
  const int64_t size = shape.empty() ? 1 : shape.back().value();
  for (size_t row = 0; size > 0 && row < values.size(); row += static_cast<size_t>(size))
    if (std::all_of(values.begin() + static_cast<std::ptrdiff_t>(row),
                    values.begin() + static_cast<std::ptrdiff_t>(row) + size, is_minus_infinity))
      return true;
  return false;
}

bool has_number(const ir::Node& node, bool (*is)(double)) {
  return std::any_of(node.args.begin(), node.args.end(), [&](const ir::Argument& arg) {
    const auto* number = std::get_if<double>(&arg.value);
    return number != nullptr && is(*number);
  });
}

/// Operators that do not propagate NaN.
bool drops_nan(const ir::Node& node) {
  constexpr std::array<std::string_view, 3> kDrops = {"nan_to_num", "nansum", "t2n::refused"};
  const std::string_view name = ir::op_name(node.op);
  const size_t prefix = name.find("::");
  return is_one_of(ir::op_short_name(node.op), kDrops) ||
         ir::has_trait(name.substr(prefix + 2), ir::OpTrait::reads_shape_of_self);
}

bool is_softmax(std::string_view op) { return op == "softmax" || op == "log_softmax"; }

/// torch's fused layers give NaN to queries without keys.
bool is_fused_attention(std::string_view name) {
  return name == "aten::_native_multi_head_attention" ||
         name == "aten::_transformer_encoder_layer_fwd";
}

}  // namespace

std::vector<double> analysed_floats(const ir::Tensor& tensor) {
  constexpr int64_t kMost = int64_t{1} << 22;
  const bool is_analysed =
      ir::is_float(tensor.dtype) && tensor.elements() <= kMost && tensor.is_loaded();
  return is_analysed ? ir::to_f64(tensor) : std::vector<double>();
}

NanAnalysis::NanAnalysis(const ir::Graph& graph, const std::vector<ir::Comparison>& assertions,
                         bool all)
    : all_(all), nan_(graph.values.size()), masked_(graph.values.size()) {
  for (const ir::ValueId id : graph.inputs) nan_[id] = all;
  add_constants(graph);
  const SizeNumbers numbers(graph);
  for (const ir::Node& node : graph.nodes) add_results(graph, node, numbers, assertions);
}

void NanAnalysis::add_constants(const ir::Graph& graph) {
  for (const ir::Constant& constant : graph.constants) {
    const size_t at = constant.value;
    const std::vector<double> values = analysed_floats(constant.data);
    if (values.empty()) continue;
    nan_[at] = std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
    masked_[at] = has_masked_row(graph.values[at].shape, values);
    any_ = any_ || nan_[at] != 0;
  }
}

void NanAnalysis::add_results(const ir::Graph& graph, const ir::Node& node,
                              const SizeNumbers& numbers,
                              const std::vector<ir::Comparison>& assertions) {
  bool nan = false, closed = has_number(node, is_minus_infinity);
  if (!drops_nan(node))
    ir::for_each_input(node, [&](ir::ValueId id) {
      nan = nan || may_be_nan(id);
      closed = closed || masked_[id] != 0;
    });
  const std::string_view op = ir::op_short_name(node.op);
  const bool masks_keys =
      is_fused_attention(ir::op_name(node.op)) && ir::operand(node, "mask") != ir::kNoValue;
  const bool makes = (is_softmax(op) && closed) || masks_keys ||
                     nan_sizes(graph, node, numbers, assertions) ||
                     has_number(node, [](double x) { return std::isnan(x); }) ||
                     (node.body && NanAnalysis(*node.body, assertions, false).any());
  any_ = any_ || makes;
  const bool mixes = ir::has_trait(op, ir::OpTrait::mixes);
  for (const ir::ValueId id : node.outputs) {
    if (id == ir::kNoValue || !ir::is_float(graph.values[id].dtype)) continue;
    nan_[id] = all_ || nan || makes;
    masked_[id] = closed && !mixes;
  }
}

}  // namespace t2n::ops
