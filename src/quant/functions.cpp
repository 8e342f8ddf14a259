// SPDX-License-Identifier: Apache-2.0
// Arithmetic and activations of torch's namespace `quantized`, on dequantised operands or on
// centred integers.
#include <cmath>
#include <iterator>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

bool is_relu(const QuantBuilder& b) {
  return b.base_name().ends_with("_relu") && b.base_name() != "leaky_relu";
}

void define_result(QuantBuilder& b, ValueId x, const Vectors& vectors) {
  b.define_float(is_relu(b) ? b.relu(x) : x, vectors);
}

/// The integer offset by which torch shifted the tensor, usually the change of the zero point. If
/// the zero point is clamped to the integers' range, the offset is computed from the scale.
double integer_offset(const ir::QuantInfo& from, const ir::QuantInfo& to) {
  const auto point = static_cast<double>(from.zero_points[0]);
  if (from.scales == to.scales) return point - static_cast<double>(to.zero_points[0]);
  const auto low = static_cast<double>(to.lowest());
  const auto high = static_cast<double>(to.highest());
  const double range = std::nearbyint(to.scales[0] / from.scales[0] * (high - low));
  return to.zero_points[0] == to.lowest() ? point - high + range : point - low - range;
}

void add_scalar(QuantBuilder& b) {
  b.ignore({"b"}, "the result's zero point and scale have its effect");
  const ir::QuantInfo& from = b.info("qa");
  const ir::QuantInfo& to = *b.output_info();
  const ValueId shifted = b.plus(b.centred("qa"), {integer_offset(from, to)}, from.axis);
  if (from.scales == to.scales) return b.define(is_relu(b) ? b.relu(shifted) : shifted);
  const double factor = as_f32(as_f32(from.scales[0]) * as_f32(1 / as_f32(to.scales[0])));
  b.define(
      b.centred_from(b.times(shifted, {factor}, 0), to, ZeroPoint::after_rounding, is_relu(b)));
}

/// The sign of the number that torch multiplied into the scale. An unknown number is negative if
/// torch changed the zero point. Nothing if the number may be zero.
std::optional<double> sign_of_factor(const QuantBuilder& b) {
  if (const std::optional<double> number = b.number_at("b"))
    return *number > 0 ? 1 : *number < 0 ? -1 : 0;
  const ir::QuantInfo& to = *b.output_info();
  if (to.scales[0] == 1 && to.zero_points[0] == 0) return std::nullopt;
  return to.zero_points == b.info("qa").zero_points ? 1 : -1;
}

/// A negative number mirrors the integers.
void mul_scalar(QuantBuilder& b) {
  const std::optional<double> sign = sign_of_factor(b);
  if (!sign) return b.refuse("its number is not a constant", "give it as a number");
  const ValueId mirrored = b.times(b.centred("qa"), {*sign}, 0);
  b.define(is_relu(b) ? b.relu(mirrored) : mirrored);
}

/// True for quantized::add.Scalar and similar operators.
bool is_with_number(const QuantBuilder& b) { return !b.has("qb"); }

void add(QuantBuilder& b) {
  if (is_with_number(b)) return add_scalar(b);
  const Vectors vectors = b.loop_over({"qa", "qb"});
  define_result(b,
                b.binary("aten::add.Tensor", b.dequantised_in_loops("qa", vectors),
                         b.dequantised_in_loops("qb", vectors)),
                vectors);
}

void mul(QuantBuilder& b) {
  if (is_with_number(b)) return mul_scalar(b);
  const ir::QuantInfo& to = *b.output_info();
  const double inverse = as_f32(1 / as_f32(to.scales[0]));
  const double factor =
      as_f32(as_f32(as_f32(b.info("qa").scales[0]) * as_f32(b.info("qb").scales[0])) * inverse);
  const ValueId product = b.binary("aten::mul.Tensor", b.centred("qa"), b.centred("qb"));
  b.define(
      b.centred_from(b.times(product, {factor}, 0), to, ZeroPoint::after_rounding, is_relu(b)));
}

void matmul(QuantBuilder& b) {
  const ir::QuantInfo& to = *b.output_info();
  const double factor =
      as_f32(b.info("qa").scales[0]) * as_f32(b.info("qb").scales[0]) / as_f32(to.scales[0]);
  const ValueId product = b.emit(
      "aten::matmul", {{"self", TensorRef{b.centred("qa")}}, {"other", TensorRef{b.centred("qb")}}},
      DType::f32, b.output().shape);
  b.define(b.centred_from(b.times(product, {as_f32(factor)}, 0), to, ZeroPoint::before_rounding));
}

/// The kernel for channels-last images vectorises blocks of eight channels; the other kernel is
/// scalar.
Vectors vectors_of_part(const QuantBuilder& b, int64_t dim, ValueId part) {
  constexpr int64_t kBlock = 8;
  const ir::Shape& shape = b.shape(b.resolve(part));
  if (b.order() != MemoryOrder::channels_last || dim != 1 || shape.size() != 4 ||
      !shape[1].is_constant())
    return {Vectors::Reach::none, {}, {}};
  return vectors_in_rows({shape[1].value(), 1, 1}, kBlock);
}

/// Each part is quantised before the concatenation, since their kernels differ.
void cat_parts(QuantBuilder& b) {
  const int64_t dim = b.integer("dim", 0);
  const ir::QuantInfo& to = *b.output_info();
  const double inverse = as_f32(1 / as_f32(to.scales.at(0)));
  ir::TensorRefs parts;
  for (const ValueId part : b.originals("qx")) {
    const Vectors vectors = vectors_of_part(b, dim, part);
    const ValueId x = b.dequantised_in_loops_at(part, vectors);
    parts.ids.push_back(
        b.centred_from(b.times(is_relu(b) ? b.relu(x) : x, {inverse}, 0), to, vectors));
  }
  b.define(
      b.emit("aten::cat", {{"tensors", parts}, {"dim", Dim(dim)}}, DType::f32, b.output().shape));
}

/// An elementwise function in a vectorised loop: the `aten` operator with this operand and the
/// other arguments.
void apply(QuantBuilder& b, std::string_view op, std::string_view operand,
           std::vector<ir::Argument> others) {
  const Vectors vectors = b.loop_over({operand});
  std::vector<ir::Argument> args = {{"self", TensorRef{b.dequantised_in_loops(operand, vectors)}}};
  args.insert(args.end(), std::make_move_iterator(others.begin()),
              std::make_move_iterator(others.end()));
  b.define_float(b.emit(op, std::move(args), DType::f32, b.output().shape), vectors);
}

double number_argument(const QuantBuilder& b, std::string_view name, double fallback) {
  return b.scalar(name, fallback);
}

void elu(QuantBuilder& b) {
  apply(b, "aten::elu", "self",
        {{"alpha", number_argument(b, "alpha", 1)},
         {"scale", number_argument(b, "scale", 1)},
         {"input_scale", number_argument(b, "input_scale", 1)}});
}
void celu(QuantBuilder& b) {
  apply(b, "aten::celu", "self", {{"alpha", number_argument(b, "alpha", 1)}});
}
void hardswish(QuantBuilder& b) { apply(b, "aten::hardswish", "input", {}); }
void sigmoid(QuantBuilder& b) { apply(b, "aten::sigmoid", "qx", {}); }
void leaky_relu(QuantBuilder& b) {
  b.ignore({"inplace"}, "LibTorch's kernel ignores it");
  apply(b, "aten::leaky_relu", "qx",
        {{"negative_slope", number_argument(b, "negative_slope", 0.01)}});
}
void threshold(QuantBuilder& b) {
  apply(b, "aten::threshold", "qx",
        {{"threshold", number_argument(b, "threshold", 0)},
         {"value", number_argument(b, "value", 0)}});
}
void prelu(QuantBuilder& b) { define_prelu(b, "qx"); }

/// Computed on floats; fbgemm quantises the result.
void softmax(QuantBuilder& b) {
  b.define_float(b.emit("aten::softmax.int",
                        {{"self", TensorRef{b.dequantised("qx")}},
                         {"dim", Dim(b.integer("dim", -1))},
                         {"dtype", ir::None{}}},
                        DType::f32, b.output().shape),
                 ZeroPoint::fused);
}

/// Integers are clamped to the integers of the bounds.
void clamp(QuantBuilder& b) {
  const auto bound = [&](std::string_view name) {
    return b.is_none(name) ? ir::Attr(ir::None{})
                           : ir::Attr(centred_number(number_argument(b, name, 0), b.info("qx"),
                                                     ZeroPoint::before_rounding));
  };
  b.define(
      b.emit("aten::clamp",
             {{"self", TensorRef{b.centred("qx")}}, {"min", bound("min")}, {"max", bound("max")}},
             DType::f32, b.output().shape));
}
void relu6(QuantBuilder& b) {
  if (b.flag("inplace", false) && b.uses("qx") > 1)
    return b.refuse("it writes to its operand, which is used elsewhere, too",
                    "give it inplace=False");
  const double six = centred_number(6, b.info("qx"), ZeroPoint::before_rounding);
  b.define(b.clamped(b.centred("qx"), 0, six));
}

/// Outside of training it returns its operand.
void dropout(QuantBuilder& b) {
  if (b.flag("training", false)) return b.refuse("it is random");
  b.ignore({"p"}, "it is for training");
  b.define_float(b.dequantised("self"));
}

/// The same as aten's, on centred integers, which have the order of the floats.
void max_pool(QuantBuilder& b) {
  const bool is_flat = b.base_name() == "max_pool1d";
  b.define(b.emit(is_flat ? "aten::max_pool1d" : "aten::max_pool2d",
                  {{"self", TensorRef{b.centred("qx")}},
                   {"kernel_size", b.dims("kernel_size")},
                   {"stride", b.dims("stride")},
                   {"padding", b.dims("padding")},
                   {"dilation", b.dims("dilation")},
                   {"ceil_mode", b.flag("ceil_mode", false)}},
                  DType::f32, b.output().shape));
}

}  // namespace

/// Products of centred integers: negative ones times the weight, others times the quantised 1.
void define_prelu(QuantBuilder& b, std::string_view operand) {
  if (!b.is_quantised("weight")) return b.refuse("its weight is not quantised");
  const ir::QuantInfo& to = *b.output_info();
  const ir::QuantInfo& weight = b.info("weight");
  const double factor =
      as_f32(as_f32(as_f32(b.info(operand).scales[0]) * as_f32(weight.scales[0])) *
             as_f32(1 / as_f32(to.scales[0])));
  const double one = centred_number(1, weight, ZeroPoint::before_rounding);
  const ValueId x = b.centred(operand);
  ValueId slope = b.centred("weight");
  if (b.rank(slope) == 1 && b.rank(x) > 2) {
    ir::Shape by_channel(static_cast<size_t>(b.rank(x)) - 1, Dim(1));
    by_channel[0] = b.shape(slope)[0];
    slope = b.reshape(slope, by_channel);
  }
  const ValueId below = b.binary("aten::mul.Tensor", x, slope);
  const ValueId is_above = b.binary("aten::gt.Tensor", x, b.number(0, DType::f32));
  const ValueId products = b.where(is_above, b.times(x, {one}, 0), below);
  b.define(b.centred_from(b.times(products, {factor}, 0), to, ZeroPoint::after_rounding));
}

const QuantRules& function_rules() {
  static const QuantRules rules = {
      {"add", add},
      {"add_relu", add},
      {"add_scalar", add_scalar},
      {"add_scalar_relu", add_scalar},
      {"mul", mul},
      {"mul_relu", mul},
      {"mul_scalar", mul_scalar},
      {"mul_scalar_relu", mul_scalar},
      {"matmul", matmul},
      {"cat", cat_parts},
      {"cat_relu", cat_parts},
      {"elu", elu},
      {"celu", celu},
      {"hardswish", hardswish},
      {"sigmoid", sigmoid},
      {"leaky_relu", leaky_relu},
      {"prelu", prelu},
      {"softmax", softmax},
      {"threshold", threshold},
      {"relu6", relu6},
      {"clamp", clamp},
      {"dropout", dropout},
      {"max_pool1d", max_pool},
      {"max_pool2d", max_pool},
  };
  return rules;
}

}  // namespace t2n::quant
