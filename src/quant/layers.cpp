// SPDX-License-Identifier: Apache-2.0
// Convolutions and linear layers on centred integers: exact sums of products, rounded once.
#include "src/quant/layers.h"

#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {

namespace {

/// conv1d has the parameters of a conv2d of height 1.
ir::Attr spatial(const QuantBuilder& b, std::string_view argument, int axes) {
  std::vector<Dim> all = b.dims(argument);
  all.erase(all.begin(), all.end() - std::min<ptrdiff_t>(axes, std::ssize(all)));
  return all;
}

/// An optimisation barrier: a lower bound below every 32-bit integer, which changes no value. It
/// keeps tract from merging factors with each other, or per-channel factors with the weights, which
/// would replace integer sums by rounded ones.
ValueId factor_barrier(QuantBuilder& b, ValueId x) {
  return b.emit("aten::clamp_min", {{"self", TensorRef{x}}, {"min", -0x1.0p31}}, DType::f32,
                b.shape(x));
}

ValueId convolution(QuantBuilder& b, ValueId x, ValueId weight) {
  const int axes = b.rank(x) - 2;
  if (b.rank(weight) > b.rank(x)) {
    ir::Shape flat = b.shape(weight);
    flat.erase(flat.begin() + 2);
    weight = b.reshape(weight, flat);
  }
  return b.emit("aten::convolution",
                {{"input", TensorRef{x}},
                 {"weight", TensorRef{weight}},
                 {"bias", ir::None{}},
                 {"stride", spatial(b, "stride", axes)},
                 {"padding", spatial(b, "padding", axes)},
                 {"dilation", spatial(b, "dilation", axes)},
                 {"transposed", b.flag("transposed", false)},
                 {"output_padding", spatial(b, "output_padding", axes)},
                 {"groups", Dim(b.integer("groups", 1))}},
                DType::f32, b.output().shape);
}

bool is_convolution(const QuantBuilder& b) { return b.base_name().starts_with("conv"); }

/// The channel axis of the result.
int channel_axis(const QuantBuilder& b) {
  return is_convolution(b) ? 1 : static_cast<int>(b.output().shape.size()) - 1;
}

/// oneDNN, LibTorch's default, misreads the weights of a transposed convolution if the numbers of
/// input and output channels differ: its results differ from those of other engines.
bool is_wrong_in_onednn(const QuantBuilder& b) {
  const ir::Shape& weight = b.shape(b.tensor("weight"));
  const int64_t in = weight.at(0).value() / b.integer("groups", 1);
  const int64_t out = weight.at(1).value();
  return uses_onednn(b) && in != out && in > 1 && out > 1;
}

}  // namespace

ValueId linear(QuantBuilder& b, ValueId x, ValueId weight) {
  return b.emit("aten::linear",
                {{"input", TensorRef{x}}, {"weight", TensorRef{weight}}, {"bias", ir::None{}}},
                DType::f32, b.output().shape);
}

/// True for convolutions, except those with many groups or with zero points in weights, and
/// transposed ones with output padding.
bool uses_onednn(const QuantBuilder& b) {
  constexpr int64_t kMostGroups = 100;
  if (!is_convolution(b) || b.integer("groups", 1) > kMostGroups) return false;
  const std::vector<int64_t>& points = b.info("weight").zero_points;
  const std::vector<Dim> padding = b.dims("output_padding");
  return std::all_of(points.begin(), points.end(), [](int64_t each) { return each == 0; }) &&
         std::all_of(padding.begin(), padding.end(),
                     [](const Dim& each) { return each == Dim(0); });
}

ValueId along_channels(QuantBuilder& b, ValueId vector) {
  ir::Shape shape(b.output().shape.size() - static_cast<size_t>(channel_axis(b)), Dim(1));
  shape[0] = b.shape(vector).at(0);
  return b.reshape(vector, shape);
}

ValueId product_of_centred(QuantBuilder& b, ValueId x) {
  const ValueId weight = b.centred("weight");
  return is_convolution(b) ? factor_barrier(b, convolution(b, x, weight)) : linear(b, x, weight);
}

std::vector<double> weight_scales(const QuantBuilder& b, double factor) {
  std::vector<double> out;
  for (const double scale : b.info("weight").scales)
    out.push_back(as_f32(as_f32(scale) * as_f32(factor)));
  return out;
}

ValueId plus_bias(QuantBuilder& b, ValueId x, const std::vector<double>& unit) {
  if (b.is_none("bias")) return x;
  ValueId bias = b.tensor("bias");
  if (unit != std::vector<double>{1})
    bias = b.binary("aten::div.Tensor", bias,
                    unit.size() == 1
                        ? b.number(unit[0], DType::f32)
                        : b.constant({static_cast<int64_t>(unit.size())}, unit, DType::f32));
  return b.binary("aten::add.Tensor", x, along_channels(b, bias));
}

ValueId times_channels(QuantBuilder& b, ValueId x, const std::vector<double>& factors) {
  return b.times(x, factors, channel_axis(b));
}

bool refuse_layer(QuantBuilder& b) {
  const bool is_transposed = is_convolution(b) && b.flag("transposed", false);
  if (!b.is_quantised("weight"))
    b.refuse("its weight is not quantised");
  else if (is_transposed && b.info("weight").is_per_channel())
    b.refuse("a transposed convolution has a scale for each channel of its weight");
  else if (is_transposed && is_wrong_in_onednn(b))
    b.refuse(
        "LibTorch's own engines disagree: oneDNN misreads the weights of a transposed convolution "
        "if a group's input and output channels differ",
        "keep this layer in float, or give it as many input as output channels");
  else
    return false;
  return true;
}

namespace {

std::string_view input_name(const QuantBuilder& b) { return is_convolution(b) ? "qx" : "X"; }

/// oneDNN receives inverted scales and inverts them again, both rounded to f32.
double inverted_twice(double scale) { return as_f32(1 / as_f32(1 / scale)); }

/// Whether the convolution is depthwise.
bool is_depthwise(const QuantBuilder& b) {
  const ir::Shape& weight = b.shape(b.tensor("weight"));
  const int64_t groups = b.integer("groups", 1);
  return is_convolution(b) && groups > 1 && weight.at(0) == Dim(groups) && weight.at(1) == Dim(1);
}

/// The dequantised sums. oneDNN's brgemm kernels, and its depthwise ones on any processor, apply
/// the two scales one after the other; others apply their product.
ValueId scaled(QuantBuilder& b, ValueId sum) {
  const double input = inverted_twice(b.info(input_name(b)).scales[0]);
  if (b.multiplies_scales() && !is_depthwise(b))
    return times_channels(b, sum, weight_scales(b, input));
  return times_channels(b, factor_barrier(b, b.times(sum, {input}, 0)), weight_scales(b, 1));
}

/// The layer's result in oneDNN before it is quantised.
ValueId float_result(QuantBuilder& b) {
  const ValueId x = scaled(b, product_of_centred(b, b.centred(input_name(b))));
  return b.is_none("bias") ? factor_barrier(b, x) : plus_bias(b, x, {1});
}

/// Quantises as oneDNN does: it divides by the scale, adds the zero point and rounds.
void define_quantised(QuantBuilder& b, ValueId x, bool is_relu = false) {
  const QuantInfo& to = *b.output_info();
  const ValueId divided = b.times(x, {as_f32(1 / inverted_twice(to.scales[0]))}, 0);
  b.define(b.centred_from(divided, to, ZeroPoint::before_rounding, is_relu));
}

/// Scales the sums, adds the bias, and quantises.
void define_as_onednn(QuantBuilder& b, bool is_relu) {
  define_quantised(b, float_result(b), is_relu);
}

/// Adds the bias divided by the scale of the sums, scales, rounds, and adds the zero point.
void define_as_fbgemm(QuantBuilder& b, bool is_relu) {
  const QuantInfo& to = *b.output_info();
  const std::vector<double> units = weight_scales(b, b.info(input_name(b)).scales[0]);
  std::vector<double> factors;
  for (const double unit : units) factors.push_back(as_f32(unit / as_f32(to.scales[0])));
  const ValueId sum = plus_bias(b, product_of_centred(b, b.centred(input_name(b))), units);
  b.define(b.centred_from(times_channels(b, sum, factors), to, ZeroPoint::after_rounding, is_relu));
}

void define_layer(QuantBuilder& b, bool is_relu) {
  if (refuse_layer(b)) return;
  uses_onednn(b) ? define_as_onednn(b, is_relu) : define_as_fbgemm(b, is_relu);
}

void plain_layer(QuantBuilder& b) { define_layer(b, false); }
void relu_layer(QuantBuilder& b) { define_layer(b, true); }

}  // namespace

const QuantRules& layer_rules() {
  static const QuantRules rules = {
      {"conv1d", plain_layer},           {"conv2d", plain_layer},
      {"conv3d", plain_layer},           {"conv1d_relu", relu_layer},
      {"conv2d_relu", relu_layer},       {"conv3d_relu", relu_layer},
      {"conv_transpose1d", plain_layer}, {"conv_transpose2d", plain_layer},
      {"conv_transpose3d", plain_layer}, {"linear", plain_layer},
      {"linear_relu", relu_layer}};
  return rules;
}

}  // namespace t2n::quant
