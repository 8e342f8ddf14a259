// SPDX-License-Identifier: Apache-2.0
// Norms of quantised tensors, rounded in the order of LibTorch's kernels.
#include <cmath>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// The argument in floats; kNoValue for None.
ValueId vector(QuantBuilder& b, std::string_view name) {
  return b.is_none(name) ? ir::kNoValue : b.dequantised(name);
}

/// The mean over the last `count` axes, which get extent 1. The operands are integers: their sum is
/// exact.
ValueId mean_of_last(QuantBuilder& b, ValueId integers, int count) {
  ir::Shape shape = b.shape(integers);
  std::vector<Dim> axes;
  for (int i = b.rank(integers) - count; i < b.rank(integers); ++i) {
    axes.emplace_back(i);
    shape[i] = Dim(1);
  }
  const ValueId mean = b.emit("aten::mean.dim",
                              {{"self", TensorRef{b.cast(integers, DType::f64)}},
                               {"dim", axes},
                               {"keepdim", true},
                               {"dtype", ir::None{}}},
                              DType::f64, shape);
  return b.cast(mean, DType::f32);
}

/// Centred integers minus their mean, and the inverse of their standard deviation.
struct Normalised {
  ValueId deviations;
  ValueId unit;
};

/// The kernel computes the mean of the integers' squares minus the square of their mean with one
/// rounding, which matters for a small variance.
Normalised normalised(QuantBuilder& b, ValueId centred, int axes) {
  const ir::QuantInfo& qparams = b.info("input");
  const ValueId point = b.number(static_cast<double>(qparams.zero_points[0]), DType::f32);
  const ValueId integers = add(b, centred, point);
  const ValueId mean = mean_of_last(b, integers, axes);
  const ValueId squares = mean_of_last(b, mul(b, integers, integers), axes);
  const ValueId wide = b.cast(mean, DType::f64);
  const ValueId difference = sub(b, b.cast(squares, DType::f64), mul(b, wide, wide));
  const ValueId variance = b.relu(b.cast(difference, DType::f32));
  const double scale = as_f32(qparams.scales[0]);
  const ValueId scaled = b.times(b.times(variance, {scale}, 0), {scale}, 0);
  const ValueId sum =
      add(b, b.cast(scaled, DType::f64), b.number(b.scalar("eps", 1e-5), DType::f64));
  const ValueId unit =
      b.binary("aten::div.Tensor", b.number(scale, DType::f64), b.unary("aten::sqrt", sum));
  return {sub(b, centred, sub(b, mean, point)), b.cast(unit, DType::f32)};
}

/// The kernel vectorises blocks of 32 elements; the remaining elements of a row are scalar.
Vectors vectors_of_row(const QuantBuilder& b) {
  ir::Ints row;
  for (const Dim& each : b.dims("normalized_shape")) {
    if (!each.is_constant()) return {};
    row.push_back(each.value());
  }
  return vectors_in_rows(row, 32);
}

void layer_norm(QuantBuilder& b) {
  const Normalised x =
      normalised(b, b.centred("input"), static_cast<int>(b.dims("normalized_shape").size()));
  ValueId y = mul(b, x.deviations, x.unit);
  if (const ValueId weight = vector(b, "weight"); weight != ir::kNoValue) y = mul(b, y, weight);
  if (const ValueId bias = vector(b, "bias"); bias != ir::kNoValue) y = add(b, y, bias);
  b.define_float(y, vectors_of_row(b));
}

/// x reshaped to sizes that may be expressions.
ValueId reshaped(QuantBuilder& b, ValueId x, const std::vector<Dim>& sizes, const ir::Shape& now) {
  return b.emit("aten::reshape", {{"self", TensorRef{x}}, {"shape", sizes}}, b.dtype(x), now);
}

/// [batch, groups, channels per group, elements per channel], for an image of these sizes.
std::vector<Dim> by_groups(const std::vector<Dim>& sizes, const Dim& groups, const Dim& inner) {
  Dim rest(1);
  for (size_t i = 2; i < sizes.size(); ++i) rest = rest * sizes[i];
  return {sizes.at(0), groups, inner, rest};
}

/// Each group of channels is normalised separately, and scaled by channel. `groups`: 0 for one
/// group per channel.
void define_group_norm(QuantBuilder& b, int64_t groups) {
  const ValueId centred = b.centred("input");
  const ir::Shape shape = b.shape(centred);
  std::vector<Dim> sizes;
  for (int i = 0; i < b.rank(centred); ++i) sizes.push_back(b.size(centred, i));
  const Dim count = groups == 0 ? sizes.at(1) : Dim(groups);
  const Dim inner = groups == 0 ? Dim(1) : ir::floor_div(sizes.at(1), groups);
  const Dim count_now = groups == 0 ? shape.at(1) : Dim(groups);
  const Dim inner_now = groups == 0 ? Dim(1) : ir::floor_div(shape.at(1), groups);
  const Normalised x = normalised(
      b,
      reshaped(b, centred, by_groups(sizes, count, inner), by_groups(shape, count_now, inner_now)),
      2);
  const auto by_channel = [&](ValueId vector) {
    return b.reshape(vector, {count_now, inner_now, Dim(1)});
  };
  ValueId unit = x.unit;
  if (const ValueId weight = vector(b, "weight"); weight != ir::kNoValue)
    unit = mul(b, unit, by_channel(weight));
  ValueId y = mul(b, x.deviations, unit);
  if (const ValueId bias = vector(b, "bias"); bias != ir::kNoValue) y = add(b, y, by_channel(bias));
  b.define_float(reshaped(b, y, sizes, shape), ZeroPoint::after_rounding);
}

void group_norm(QuantBuilder& b) { define_group_norm(b, b.integer("num_groups", 1)); }
void instance_norm(QuantBuilder& b) { define_group_norm(b, 0); }

void batch_norm(QuantBuilder& b) { define_batch_norm(b, "qx"); }

}  // namespace

/// The statistics are constants: each channel has a factor and a term, in units of the operand's
/// and the result's scale.
void define_batch_norm(QuantBuilder& b, std::string_view operand) {
  const ir::QuantInfo& to = *b.output_info();
  const ValueId root =
      b.unary("aten::sqrt",
              add(b, b.dequantised("var"), b.number(as_f32(b.scalar("eps", 1e-5)), DType::f32)));
  ValueId factor = b.unary("aten::reciprocal", root);
  ValueId term = mul(b, b.dequantised("mean"), factor);
  if (const ValueId weight = vector(b, "weight"); weight != ir::kNoValue) {
    factor = mul(b, factor, weight);
    term = mul(b, term, weight);
  }
  term = b.unary("aten::neg", term);
  if (const ValueId bias = vector(b, "bias"); bias != ir::kNoValue) term = add(b, term, bias);
  const auto in_units = [&](ValueId vector, double unit) {
    ir::Shape shape(b.output().shape.size() - 1, Dim(1));
    shape[0] = b.shape(vector).at(0);
    const ValueId wide = mul(b, b.cast(vector, DType::f64), b.number(unit, DType::f64));
    return b.reshape(b.cast(wide, DType::f32), shape);
  };
  const ValueId scaled =
      mul(b, b.centred(operand), in_units(factor, b.info(operand).scales[0] / to.scales[0]));
  b.define(b.centred_from(add(b, scaled, in_units(term, 1 / to.scales[0])), to,
                          ZeroPoint::after_rounding, b.base_name().ends_with("_relu")));
}

const QuantRules& norm_rules() {
  static const QuantRules rules = {
      {"batch_norm", batch_norm},      {"batch_norm_relu", batch_norm},
      {"batch_norm1d", batch_norm},    {"batch_norm1d_relu", batch_norm},
      {"batch_norm2d", batch_norm},    {"batch_norm2d_relu", batch_norm},
      {"batch_norm3d", batch_norm},    {"batch_norm3d_relu", batch_norm},
      {"layer_norm", layer_norm},      {"group_norm", group_norm},
      {"instance_norm", instance_norm}};
  return rules;
}

}  // namespace t2n::quant
