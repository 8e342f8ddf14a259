// Layers that quantise what they are given by its own least and greatest elements.
#include "src/quant/layers.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using ir::Dim;
using ir::DType;
using ir::TensorRef;
using ir::ValueId;

ValueId extreme(QuantBuilder& b, std::string_view op, ValueId x) {
  return b.emit(op, {{"self", TensorRef{x}}}, DType::f32, {});
}

}  // namespace

/// fbgemm::ChooseQuantizationParams: from the least element to the greatest, zero among them.
Quantised quantised_by_range(QuantBuilder& b, ValueId x, bool is_reduced) {
  const double most = is_reduced ? 127 : 255;
  const ValueId zero = b.number(0, DType::f32);
  const ValueId low = b.binary("aten::minimum", extreme(b, "aten::min", x), zero);
  const ValueId high = b.binary("aten::maximum", extreme(b, "aten::max", x), zero);
  const ValueId range = b.binary("aten::sub.Tensor", high, low);
  const ValueId given = b.binary("aten::div.Tensor", range, b.number(most, DType::f32));
  // All zeros have the scale 0.1; a scale below the least that fbgemm takes becomes that one.
  const ValueId is_zero = b.binary("aten::eq.Tensor", given, zero);
  const ValueId bounded = b.binary("aten::maximum", given, b.number(6.1e-5, DType::f32));
  const ValueId scale = b.where(is_zero, b.number(0.1, DType::f32), bounded);
  const ValueId point =
      b.clamped(b.rounded(b.unary("aten::neg", b.binary("aten::div.Tensor", low, scale))), 0, most);
  const ValueId inverse = b.unary("aten::reciprocal", scale);
  const ValueId q = b.rounded(b.binary("aten::mul.Tensor", x, inverse));
  const ValueId above = b.binary("aten::maximum", q, b.unary("aten::neg", point));
  // What lies above the range that was asked for is only cut off where eight bits end.
  const ValueId room = b.binary("aten::sub.Tensor", b.number(255, DType::f32), point);
  return {b.binary("aten::minimum", above, room), scale};
}

namespace {

void layer(QuantBuilder& b) {
  if (refuse_layer(b)) return;
  const ValueId x = b.real(b.word().starts_with("conv") ? "qx" : "X");
  const Quantised input = quantised_by_range(b, x, b.flag("reduce_range", false));
  ValueId y = product_of_steps(b, input.steps);
  y = times_channels(b, b.binary("aten::mul.Tensor", y, input.scale), weight_scales(b, 1));
  y = plus_bias(b, y, {1});
  b.define(b.word().find("relu") != std::string_view::npos ? b.relu(y) : y);
}

/// Weights of 16 bits; all else is f32.
void half_layer(QuantBuilder& b) {
  const ValueId weight = b.cast(b.tensor("weight"), DType::f32);
  const ir::Attr bias =
      b.is_none("bias") ? ir::Attr(ir::None{}) : ir::Attr(TensorRef{b.tensor("bias")});
  const ValueId y =
      b.emit("aten::linear",
             {{"input", TensorRef{b.tensor("X")}}, {"weight", TensorRef{weight}}, {"bias", bias}},
             DType::f32, b.output().shape);
  b.define(b.word().find("relu") != std::string_view::npos ? b.relu(y) : y);
}

}  // namespace

QuantRule find_dynamic_rule(std::string_view word) {
  static const QuantRules rules = {
      {"linear_dynamic_fp16", half_layer}, {"linear_relu_dynamic_fp16", half_layer},
      {"linear_dynamic", layer},           {"linear_relu_dynamic", layer},
      {"conv1d_dynamic", layer},           {"conv2d_dynamic", layer},
      {"conv3d_dynamic", layer},           {"conv_transpose1d_dynamic", layer},
      {"conv_transpose2d_dynamic", layer}, {"conv_transpose3d_dynamic", layer}};
  return rule_in(rules, word);
}

}  // namespace t2n::quant
