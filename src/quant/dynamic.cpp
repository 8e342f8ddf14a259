// SPDX-License-Identifier: Apache-2.0
// Layers that quantise their input dynamically, by its minimum and maximum.
#include <cmath>

#include "src/quant/layers.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// A tensor as centred integers with their scale.
struct CentredTensor {
  ValueId centred;
  DynamicScale scale;
};

/// The integers that represent the minimum and the maximum.
struct Integers {
  double low = 0;
  double high = 255;
};

/// With reduce_range half of the integers, so that sums of two products fit into 16 bits.
Integers integers_of(const QuantBuilder& b, double low) {
  const Integers all = {low, low + 255};
  return b.flag("reduce_range", false) ? Integers{all.low / 2, (all.high - 1) / 2} : all;
}

ValueId extreme(QuantBuilder& b, std::string_view op, ValueId x) {
  return b.emit(op, {{"self", TensorRef{x}}}, DType::f32, {});
}

/// Two ends of a range, f32.
struct Ends {
  ValueId low = ir::kNoValue;
  ValueId high = ir::kNoValue;
};

/// If the scale is below the smallest allowed scale, enlarges the range by the same factor.
class EnlargedEnds {
 public:
  EnlargedEnds(QuantBuilder& b, const Ends& ends, ValueId initial, const Integers& integers)
      : b_(b), ends_(ends), limit_(kLeastScale * (integers.high - integers.low)) {
    is_small_ = b.binary("aten::lt.Tensor", initial, b.number(kLeastScale, DType::f64));
    ratio_ = b.binary("aten::div.Tensor", b.number(kLeastScale, DType::f32),
                      b.cast(initial, DType::f32));
  }
  ValueId is_small() const { return is_small_; }
  ValueId low() { return enlarged(ends_.low, ends_.high, -limit_); }
  ValueId high() { return enlarged(ends_.high, ends_.low, limit_); }

 private:
  ValueId enlarged(ValueId end, ValueId other, double one_sided) {
    const ValueId is_one_sided = b_.binary("aten::eq.Tensor", other, b_.number(0, DType::f32));
    const ValueId to = b_.where(is_one_sided, b_.number(one_sided, DType::f32),
                                b_.binary("aten::mul.Tensor", end, ratio_));
    return b_.where(is_small_, to, end);
  }

  QuantBuilder& b_;
  Ends ends_;
  double limit_;
  ValueId is_small_ = ir::kNoValue;
  ValueId ratio_ = ir::kNoValue;
};

/// The zero point, computed from one end of the range. Both ends give the same up to rounding.
ValueId chosen_point(QuantBuilder& b, EnlargedEnds& ends, ValueId scale, const Integers& integers) {
  const auto wide = [&](double value) { return b.number(value, DType::f64); };
  const auto scaled_end = [&](ValueId end) {
    return b.binary("aten::div.Tensor", b.cast(end, DType::f64), scale);
  };
  const ValueId low = scaled_end(ends.low());
  const ValueId high = scaled_end(ends.high());
  const auto error = [&](double end, ValueId scaled) {
    return sub(b, wide(std::abs(end)), b.unary("aten::abs", scaled));
  };
  const ValueId takes_low =
      b.binary("aten::lt.Tensor", error(integers.low, low), error(integers.high, high));
  return b.where(takes_low, sub(b, wide(integers.low), low), sub(b, wide(integers.high), high));
}

/// `range` minus `count` times `scale`, which is about `range` / `count`: exact in these steps, as
/// each difference is one of numbers within a factor of two of each other.
ValueId remainder_of(QuantBuilder& b, ValueId range, ValueId scale, double count) {
  const ValueId more = mul(b, scale, b.number(count + 1, DType::f64));
  return add(b, sub(b, range, more), scale);
}

/// `range` / `count`, correctly rounded by a quotient that is off by some units in the last place.
ValueId quotient_by_count(QuantBuilder& b, ValueId range, double count) {
  const ValueId inverse = b.number(1 / count, DType::f64);
  const ValueId first = mul(b, range, inverse);
  return add(b, first, mul(b, remainder_of(b, range, first, count), inverse));
}

/// The negative zero point before it is rounded, if the lowest integer is 0: the low end divided by
/// the scale. It matters at ties only, where the quotient of the reals has halves: quotients of f32
/// that have not are at least 2^-34 away. So the approximate quotient is rounded to 2^-40, and the
/// scale's own rounding error is added, which decides to which side LibTorch's quotient falls.
ValueId quotient_of_low(QuantBuilder& b, EnlargedEnds& ends, ValueId range, ValueId scale,
                        double count) {
  constexpr double kUnits = 0x1.8p12;  // neighbours of f64 numbers near it are 2^-40 apart
  const ValueId inverse = b.unary("aten::reciprocal", scale);
  const ValueId units = b.number(kUnits, DType::f64);
  const ValueId low = mul(b, b.cast(ends.low(), DType::f64), inverse);
  const ValueId snapped = sub(b, add(b, low, units), units);
  const ValueId remainder =
      b.where(ends.is_small(), b.number(0, DType::f64), remainder_of(b, range, scale, count));
  const ValueId error = mul(b, mul(b, remainder, inverse), b.number(1 / count, DType::f64));
  return add(b, snapped, mul(b, snapped, error));
}

/// LibTorch's ChooseQuantizationParams in f64: the range of all elements and zero. An almost empty
/// range gives the scale 0.1.
DynamicScale choose_scale(QuantBuilder& b, ValueId x, const Integers& integers) {
  const auto wide = [&](double value) { return b.number(value, DType::f64); };
  const ValueId zero = b.number(0, DType::f32);
  const Ends ends = {b.binary("aten::minimum", extreme(b, "aten::min", x), zero),
                     b.binary("aten::maximum", extreme(b, "aten::max", x), zero)};
  const double count = integers.high - integers.low;
  const ValueId range = sub(b, b.cast(ends.high, DType::f64), b.cast(ends.low, DType::f64));
  const ValueId ratio = quotient_by_count(b, range, count);
  const ValueId is_zero =
      b.binary("aten::lt.Tensor", b.cast(ratio, DType::f32), b.number(0x1p-128, DType::f32));
  const ValueId initial = b.where(is_zero, wide(0.1), ratio);
  const ValueId exact = b.binary("aten::maximum", initial, wide(kLeastScale));
  EnlargedEnds enlarged(b, ends, initial, integers);
  const ValueId point =
      integers.low == 0 ? b.unary("aten::neg", quotient_of_low(b, enlarged, range, exact, count))
                        : chosen_point(b, enlarged, exact, integers);
  const ValueId zero_point =
      b.cast(b.clamped(b.rounded(point), integers.low, integers.high), DType::f32);
  return {b.cast(exact, DType::f32), zero_point, exact};
}

/// Integer-valued floats, clamped to eight bits from `lowest` and centred. A reduced range is not
/// clamped further.
ValueId clamped_centred(QuantBuilder& b, ValueId integers, ValueId point, double lowest) {
  return b.binary("aten::sub.Tensor", b.clamped(integers, lowest, lowest + 255), point);
}

/// Quantises as fbgemm does: the sum of the product and the zero point is rounded to f32 once.
ValueId integers_by_scale(QuantBuilder& b, ValueId x, const DynamicScale& scale) {
  const ValueId inverse = b.unary("aten::reciprocal", scale.scale);
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.cast(inverse, DType::f64));
  const ValueId sum = b.binary("aten::add.Tensor", product, b.cast(scale.zero_point, DType::f64));
  return b.rounded(b.cast(sum, DType::f32));
}

ValueId centred_by_scale(QuantBuilder& b, ValueId x, const DynamicScale& scale, double lowest) {
  return clamped_centred(b, integers_by_scale(b, x, scale), scale.zero_point, lowest);
}

CentredTensor quantised_dynamically(QuantBuilder& b, ValueId x, const Integers& integers) {
  const DynamicScale scale = choose_scale(b, x, integers);
  return {centred_by_scale(b, x, scale, 0), scale};
}

}  // namespace

Quantised quantised_by_range(QuantBuilder& b, ValueId x, bool is_reduced) {
  const CentredTensor out = quantised_dynamically(b, x, is_reduced ? Integers{0, 127} : Integers{});
  return {out.centred, out.scale.scale};
}

namespace {

void define_dynamic_layer(QuantBuilder& b, ValueId x) {
  b.define(b.base_name().find("relu") != std::string_view::npos ? b.relu(x) : x);
}

void dynamic_linear(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const CentredTensor input = quantised_dynamically(b, b.dequantised("X"), integers_of(b, 0));
  const ValueId sum = product_of_centred(b, input.centred);
  const ValueId y =
      times_channels(b, b.binary("aten::mul.Tensor", sum, input.scale.scale), weight_scales(b, 1));
  define_dynamic_layer(b, plus_bias(b, y, {1}));
}

/// The scale of the integer sums: a number, or one per channel.
ValueId scale_of_sums(QuantBuilder& b, ValueId scale) {
  const std::vector<double> scales = weight_scales(b, 1);
  if (scales.size() == 1) return b.times(scale, scales, 0);
  const ValueId vector = b.constant({std::ssize(scales)}, scales, DType::f32);
  return along_channels(b, b.binary("aten::mul.Tensor", vector, scale));
}

/// LibTorch runs the static layer with the input's scale as the output's, so that the result is
/// clamped to the input's minimum and maximum.
void dynamic_convolution(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const ValueId x = b.dequantised("qx");
  const auto mul = [&](ValueId a, ValueId c) { return b.binary("aten::mul.Tensor", a, c); };
  const auto add = [&](ValueId a, ValueId c) { return b.binary("aten::add.Tensor", a, c); };
  const auto div = [&](ValueId a, ValueId c) { return b.binary("aten::div.Tensor", a, c); };
  const DynamicScale scale = choose_scale(b, x, integers_of(b, 0));
  const ValueId unit = scale_of_sums(b, scale.scale);
  ValueId y = product_of_centred(b, centred_by_scale(b, x, scale, 0));
  const ValueId bias = b.is_none("bias") ? ir::kNoValue : along_channels(b, b.tensor("bias"));
  if (uses_onednn(b)) {
    y = mul(y, unit);
    if (bias != ir::kNoValue) y = add(y, bias);
    y = b.rounded(add(mul(y, b.unary("aten::reciprocal", scale.scale)), scale.zero_point));
  } else {
    if (bias != ir::kNoValue) y = add(y, div(bias, unit));
    y = add(b.rounded(mul(y, div(unit, scale.scale))), scale.zero_point);
  }
  define_dynamic_layer(b, mul(clamped_centred(b, y, scale.zero_point, 0), scale.scale));
}

/// The input is quantised with a fixed scale, and the result is not quantised.
void linear_between_floats(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const double scale = as_f32(b.scalar("X_scale", 1));
  const QuantInfo to = {.scales = {scale}, .zero_points = {b.integer("X_zero_point", 0)}};
  const ValueId centred = b.centred_from_fused(b.dequantised("X"), to);
  const ValueId y = times_channels(b, product_of_centred(b, centred), weight_scales(b, scale));
  define_dynamic_layer(b, plus_bias(b, y, {1}));
}

/// Weights have 16 bits; all else is f32.
void half_linear(QuantBuilder& b) {
  const ValueId weight = b.cast(b.tensor("weight"), DType::f32);
  const ir::Attr bias =
      b.is_none("bias") ? ir::Attr(ir::None{}) : ir::Attr(TensorRef{b.tensor("bias")});
  define_dynamic_layer(
      b,
      b.emit("aten::linear",
             {{"input", TensorRef{b.tensor("X")}}, {"weight", TensorRef{weight}}, {"bias", bias}},
             DType::f32, b.output().shape));
}

}  // namespace

/// The scale is a tensor; the result supports only data movement and dequantisation.
void define_dynamically_quantised(QuantBuilder& b) {
  const ir::QuantInfo* to = b.output_info();
  const ValueId x = b.dequantised("self");
  b.ignore({"reduce_range"}, "f16 has no range to reduce");
  if (to == nullptr) return b.define(b.cast(x, b.output().dtype));  // f16
  const auto lowest = static_cast<double>(to->lowest());
  const DynamicScale scale = choose_scale(b, x, integers_of(b, lowest));
  b.define_dynamic(centred_by_scale(b, x, scale, lowest), scale);
}

/// A scale of zero, as for a tensor of zeros, gives NaN, which LibTorch converts to the highest
/// integer.
void define_quantised_by_tensor(QuantBuilder& b) {
  const ir::QuantInfo& to = b.output_integers();
  if (to.bits > 8)
    return b.refuse("32-bit integers with a data-dependent scale are not supported",
                    "quantise to 8 bits");
  const auto scalar = [&](std::string_view name, DType dtype) {
    const bool is_tensor = b.original(name) != ir::kNoValue;
    const ValueId value = is_tensor ? b.tensor(name) : b.number(*b.number_at(name), dtype);
    return b.reshape(b.cast(value, dtype), {});
  };
  const ValueId exact = scalar("scale", DType::f64);
  const ValueId point = b.cast(scalar("zero_point", DType::i64), DType::f32);
  const DynamicScale scale = {b.cast(exact, DType::f32), point, exact};
  const auto lowest = static_cast<double>(to.lowest());
  const ValueId integers = integers_by_scale(b, b.dequantised("self"), scale);
  const ValueId is_number = b.binary("aten::eq.Tensor", integers, integers);
  const ValueId finite = b.where(is_number, integers, b.number(lowest + 255, DType::f32));
  b.define_dynamic(clamped_centred(b, finite, point, lowest), scale);
}

const QuantRules& dynamic_rules() {
  static const QuantRules rules = {
      {"linear_dynamic_fp16", half_linear},
      {"linear_relu_dynamic_fp16", half_linear},
      {"linear_with_input_q_dq_qweight_dq_output_fp32", linear_between_floats},
      {"linear_with_input_q_dq_qweight_dq_relu_output_fp32", linear_between_floats},
      {"linear_dynamic", dynamic_linear},
      {"linear_relu_dynamic", dynamic_linear},
      {"conv1d_dynamic", dynamic_convolution},
      {"conv2d_dynamic", dynamic_convolution},
      {"conv3d_dynamic", dynamic_convolution},
      {"conv_transpose1d_dynamic", dynamic_convolution},
      {"conv_transpose2d_dynamic", dynamic_convolution},
      {"conv_transpose3d_dynamic", dynamic_convolution}};
  return rules;
}

}  // namespace t2n::quant
