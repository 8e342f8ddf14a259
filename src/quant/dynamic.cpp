// Layers that quantise their input by its own minimum and maximum.
#include <cmath>

#include "src/quant/layers.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// A tensor as steps, with their scale.
struct Stepped {
  ValueId steps;
  DynamicScale scale;
};

/// The integers for values between the minimum and the maximum.
struct Integers {
  double low = 0;
  double high = 255;
};

/// Half of them if sums of pairs of products would not fit into 16 bits otherwise.
Integers integers_of(const QuantBuilder& b, double low) {
  const Integers all = {low, low + 255};
  return b.flag("reduce_range", false) ? Integers{all.low / 2, (all.high - 1) / 2} : all;
}

ValueId extreme(QuantBuilder& b, std::string_view op, ValueId x) {
  return b.emit(op, {{"self", TensorRef{x}}}, DType::f32, {});
}

/// Two ends of a range, f32.
struct Ends {
  ValueId low;
  ValueId high;
};

/// A scale below the least that is taken becomes that one, and the ends move as far.
Ends moved_ends(QuantBuilder& b, const Ends& ends, ValueId own, const Integers& integers) {
  const auto number = [&](double value) { return b.number(value, DType::f32); };
  const ValueId is_small = b.binary("aten::lt.Tensor", own, b.number(kLeastScale, DType::f64));
  const ValueId ratio = b.binary("aten::div.Tensor", number(kLeastScale), b.cast(own, DType::f32));
  const double reach = kLeastScale * (integers.high - integers.low);
  const auto moved = [&](ValueId end, ValueId other, double alone) {
    const ValueId is_alone = b.binary("aten::eq.Tensor", other, number(0));
    const ValueId to = b.where(is_alone, number(alone), b.binary("aten::mul.Tensor", end, ratio));
    return b.where(is_small, to, end);
  };
  return {moved(ends.low, ends.high, -reach), moved(ends.high, ends.low, reach)};
}

/// The zero point, computed from one end of the range. Both ends give the same but for rounding.
ValueId chosen_point(QuantBuilder& b, const Ends& ends, ValueId scale, const Integers& integers) {
  const auto wide = [&](double value) { return b.number(value, DType::f64); };
  const auto sub = [&](ValueId a, ValueId c) { return b.binary("aten::sub.Tensor", a, c); };
  const auto steps_to = [&](ValueId end) {
    return b.binary("aten::div.Tensor", b.cast(end, DType::f64), scale);
  };
  const ValueId low = steps_to(ends.low);
  const ValueId high = steps_to(ends.high);
  const auto error = [&](double end, ValueId steps) {
    return sub(wide(std::abs(end)), b.unary("aten::abs", steps));
  };
  const ValueId takes_low =
      b.binary("aten::lt.Tensor", error(integers.low, low), error(integers.high, high));
  return b.where(takes_low, sub(wide(integers.low), low), sub(wide(integers.high), high));
}

/// LibTorch's ChooseQuantizationParams: from the least element to the greatest, zero among them,
/// in f64. All zeros, or next to it, have the scale 0.1.
DynamicScale choose_scale(QuantBuilder& b, ValueId x, const Integers& integers) {
  const auto wide = [&](double value) { return b.number(value, DType::f64); };
  const ValueId zero = b.number(0, DType::f32);
  const Ends ends = {b.binary("aten::minimum", extreme(b, "aten::min", x), zero),
                     b.binary("aten::maximum", extreme(b, "aten::max", x), zero)};
  const ValueId range =
      b.binary("aten::sub.Tensor", b.cast(ends.high, DType::f64), b.cast(ends.low, DType::f64));
  const ValueId given = b.binary("aten::div.Tensor", range, wide(integers.high - integers.low));
  const ValueId is_zero =
      b.binary("aten::lt.Tensor", b.cast(given, DType::f32), b.number(0x1p-128, DType::f32));
  const ValueId own = b.where(is_zero, wide(0.1), given);
  const ValueId exact = b.binary("aten::maximum", own, wide(kLeastScale));
  const ValueId point =
      b.rounded(chosen_point(b, moved_ends(b, ends, own, integers), exact, integers));
  const ValueId whole = b.cast(b.clamped(point, integers.low, integers.high), DType::f32);
  return {b.cast(exact, DType::f32), whole, exact};
}

/// Whole numbers as steps, clamped to eight bits from `lowest`. Values above a reduced range are
/// clamped only at the end of eight bits.
ValueId steps_of(QuantBuilder& b, ValueId whole, ValueId point, double lowest) {
  return b.binary("aten::sub.Tensor", b.clamped(whole, lowest, lowest + 255), point);
}

/// As fbgemm quantises: the sum of the product and the zero point is rounded to f32 once.
ValueId whole_of(QuantBuilder& b, ValueId x, const DynamicScale& scale) {
  const ValueId inverse = b.unary("aten::reciprocal", scale.scale);
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.cast(inverse, DType::f64));
  const ValueId sum = b.binary("aten::add.Tensor", product, b.cast(scale.zero_point, DType::f64));
  return b.rounded(b.cast(sum, DType::f32));
}

ValueId quantised_whole(QuantBuilder& b, ValueId x, const DynamicScale& scale, double lowest) {
  return steps_of(b, whole_of(b, x, scale), scale.zero_point, lowest);
}

Stepped quantised_by_rows(QuantBuilder& b, ValueId x, const Integers& integers) {
  const DynamicScale scale = choose_scale(b, x, integers);
  return {quantised_whole(b, x, scale, 0), scale};
}

}  // namespace

Quantised quantised_by_range(QuantBuilder& b, ValueId x, bool is_reduced) {
  const Stepped out = quantised_by_rows(b, x, is_reduced ? Integers{0, 127} : Integers{});
  return {out.steps, out.scale.scale};
}

namespace {

void define_dynamic_layer(QuantBuilder& b, ValueId real) {
  b.define(b.base_name().find("relu") != std::string_view::npos ? b.relu(real) : real);
}

void dynamic_linear(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const Stepped input = quantised_by_rows(b, b.real("X"), integers_of(b, 0));
  const ValueId sum = product_of_steps(b, input.steps);
  const ValueId y =
      times_channels(b, b.binary("aten::mul.Tensor", sum, input.scale.scale), weight_scales(b, 1));
  define_dynamic_layer(b, plus_bias(b, y, {1}));
}

/// The value of one step of the sums: a number, or one per channel.
ValueId units(QuantBuilder& b, ValueId scale) {
  const std::vector<double> scales = weight_scales(b, 1);
  if (scales.size() == 1) return b.times(scale, scales, 0);
  const ValueId vector = b.constant({std::ssize(scales)}, scales, DType::f32);
  return along_channels(b, b.binary("aten::mul.Tensor", vector, scale));
}

/// LibTorch runs the static layer with the input's scale as the output's, so that the result is
/// clamped to the input's minimum and maximum.
void dynamic_convolution(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const ValueId x = b.real("qx");
  const auto mul = [&](ValueId a, ValueId c) { return b.binary("aten::mul.Tensor", a, c); };
  const auto add = [&](ValueId a, ValueId c) { return b.binary("aten::add.Tensor", a, c); };
  const auto div = [&](ValueId a, ValueId c) { return b.binary("aten::div.Tensor", a, c); };
  const DynamicScale scale = choose_scale(b, x, integers_of(b, 0));
  const ValueId unit = units(b, scale.scale);
  ValueId y = product_of_steps(b, quantised_whole(b, x, scale, 0));
  const ValueId bias = b.is_none("bias") ? ir::kNoValue : along_channels(b, b.tensor("bias"));
  if (is_of_onednn(b)) {
    y = mul(y, unit);
    if (bias != ir::kNoValue) y = add(y, bias);
    y = b.rounded(add(mul(y, b.unary("aten::reciprocal", scale.scale)), scale.zero_point));
  } else {
    if (bias != ir::kNoValue) y = add(y, div(bias, unit));
    y = add(b.rounded(mul(y, div(unit, scale.scale))), scale.zero_point);
  }
  define_dynamic_layer(b, mul(steps_of(b, y, scale.zero_point, 0), scale.scale));
}

/// The input has a scale of its own, and the result is not quantised.
void linear_between_reals(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const double scale = as_f32(b.Rewriter::real("X_scale", 1));
  const QuantInfo to = {.scales = {scale}, .zero_points = {b.integer("X_zero_point", 0)}};
  const ValueId steps = b.steps_from_fused(b.real("X"), to);
  const ValueId y = times_channels(b, product_of_steps(b, steps), weight_scales(b, scale));
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

/// The scale stays a tensor; the result can only be moved and dequantised.
void define_dynamically_quantised(QuantBuilder& b) {
  const ir::QuantInfo* to = b.output_info();
  const ValueId x = b.real("self");
  b.ignore({"reduce_range"}, "f16 has no range to reduce");
  if (to == nullptr) return b.define(b.cast(x, b.output().dtype));  // f16
  const auto lowest = static_cast<double>(to->lowest());
  const DynamicScale scale = choose_scale(b, x, integers_of(b, lowest));
  b.define_dynamic(quantised_whole(b, x, scale, lowest), scale);
}

/// A scale of zero, as of a tensor of zeros, gives NaN, of which LibTorch makes the highest
/// integer.
void define_quantised_by_given(QuantBuilder& b) {
  const ir::QuantInfo& to = b.output_integers();
  if (to.bits > 8)
    return b.refuse("integers of 32 bits by a scale that follows from data have no form here",
                    "quantise to 8 bits");
  const auto scalar = [&](std::string_view name, DType dtype) {
    const bool is_tensor = b.original(name) != ir::kNoValue;
    const ValueId given = is_tensor ? b.tensor(name) : b.number(*b.number_at(name), dtype);
    return b.reshape(b.cast(given, dtype), {});
  };
  const ValueId exact = scalar("scale", DType::f64);
  const ValueId point = b.cast(scalar("zero_point", DType::i64), DType::f32);
  const DynamicScale scale = {b.cast(exact, DType::f32), point, exact};
  const auto lowest = static_cast<double>(to.lowest());
  const ValueId whole = whole_of(b, b.real("self"), scale);
  const ValueId is_number = b.binary("aten::eq.Tensor", whole, whole);
  const ValueId some = b.where(is_number, whole, b.number(lowest + 255, DType::f32));
  b.define_dynamic(steps_of(b, some, point, lowest), scale);
}

const QuantRules& dynamic_rules() {
  static const QuantRules rules = {
      {"linear_dynamic_fp16", half_linear},
      {"linear_relu_dynamic_fp16", half_linear},
      {"linear_with_input_q_dq_qweight_dq_output_fp32", linear_between_reals},
      {"linear_with_input_q_dq_qweight_dq_relu_output_fp32", linear_between_reals},
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
