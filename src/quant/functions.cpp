// Arithmetic, activations and norms of torch's namespace `quantized`, on reals or on steps.
#include <algorithm>
#include <array>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using ir::Dim;
using ir::DType;
using ir::TensorRef;
using ir::ValueId;

bool is_relu(const QuantBuilder& b) {
  return b.word().ends_with("_relu") && b.word() != "leaky_relu";
}

void define_sum(QuantBuilder& b, ValueId real, ZeroPoint zero_point = ZeroPoint::after_rounding) {
  b.define_real(is_relu(b) ? b.relu(real) : real, zero_point);
}

/// An argument that old and new overloads name in their own way.
ValueId real_of_any(QuantBuilder& b, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (b.has(name)) return b.real(name);
  return ir::kNoValue;
}

void add(QuantBuilder& b) {
  define_sum(b, b.binary("aten::add.Tensor", b.real("qa"), real_of_any(b, {"qb", "b"})));
}

void mul(QuantBuilder& b) {
  if (!b.is_quantised("qb"))
    return define_sum(b, b.binary("aten::mul.Tensor", b.real("qa"), b.real("b")));
  const ir::QuantInfo& to = *b.output_info();
  const double inverse = as_f32(1 / as_f32(to.scales[0]));
  const double factor =
      as_f32(as_f32(as_f32(b.info("qa").scales[0]) * as_f32(b.info("qb").scales[0])) * inverse);
  const ValueId product = b.binary("aten::mul.Tensor", b.steps("qa"), b.steps("qb"));
  b.define(b.steps_from(b.times(product, {factor}, 0), to, ZeroPoint::after_rounding, is_relu(b)));
}

void matmul(QuantBuilder& b) {
  const ir::QuantInfo& to = *b.output_info();
  const double factor =
      as_f32(b.info("qa").scales[0]) * as_f32(b.info("qb").scales[0]) / as_f32(to.scales[0]);
  const ValueId product = b.emit(
      "aten::matmul", {{"self", TensorRef{b.steps("qa")}}, {"other", TensorRef{b.steps("qb")}}},
      DType::f32, b.output().shape);
  b.define(b.steps_from(b.times(product, {as_f32(factor)}, 0), to, ZeroPoint::before_rounding));
}

void cat(QuantBuilder& b) {
  const ir::TensorRefs parts{b.reals("qx")};
  define_sum(b,
             b.emit("aten::cat", {{"tensors", parts}, {"dim", Dim(b.integer("dim", 0))}},
                    DType::f32, b.output().shape),
             ZeroPoint::before_rounding);
}

/// A function of the same shape: the operator of `aten` with the operand and other arguments.
void apply(QuantBuilder& b, std::string_view op, std::string_view operand,
           std::vector<ir::Argument> others) {
  std::vector<ir::Argument> args = {{"self", TensorRef{b.real(operand)}}};
  if (op.ends_with("norm")) args[0].name = "input";
  args.insert(args.end(), std::make_move_iterator(others.begin()),
              std::make_move_iterator(others.end()));
  const ValueId made = b.emit(op, std::move(args), DType::f32, b.output().shape);
  define_sum(b, made);
}

double number(const QuantBuilder& b, std::string_view name, double otherwise) {
  return b.Rewriter::real(name, otherwise);
}

void elu(QuantBuilder& b) {
  apply(b, "aten::elu", "self",
        {{"alpha", number(b, "alpha", 1)},
         {"scale", number(b, "scale", 1)},
         {"input_scale", number(b, "input_scale", 1)}});
}
void celu(QuantBuilder& b) { apply(b, "aten::celu", "self", {{"alpha", number(b, "alpha", 1)}}); }
void hardswish(QuantBuilder& b) { apply(b, "aten::hardswish", "input", {}); }
void sigmoid(QuantBuilder& b) { apply(b, "aten::sigmoid", "qx", {}); }
void leaky_relu(QuantBuilder& b) {
  apply(b, "aten::leaky_relu", "qx", {{"negative_slope", number(b, "negative_slope", 0.01)}});
}
void prelu(QuantBuilder& b) {
  apply(b, "aten::prelu", "qx", {{"weight", TensorRef{b.real("weight")}}});
}
void softmax(QuantBuilder& b) {
  apply(b, "aten::softmax.int", "qx", {{"dim", Dim(b.integer("dim", -1))}, {"dtype", ir::None{}}});
}
void threshold(QuantBuilder& b) {
  apply(b, "aten::threshold", "qx",
        {{"threshold", number(b, "threshold", 0)}, {"value", number(b, "value", 0)}});
}
void relu6(QuantBuilder& b) {
  apply(b, "aten::hardtanh", "qx", {{"min_val", 0.0}, {"max_val", 6.0}});
}
void clamp(QuantBuilder& b) {
  const auto bound = [&](std::string_view name) {
    return b.is_none(name) ? ir::Attr(ir::None{}) : ir::Attr(number(b, name, 0));
  };
  apply(b, "aten::clamp", "qx", {{"min", bound("min")}, {"max", bound("max")}});
}

ir::Attr tensor_or_none(QuantBuilder& b, std::string_view name) {
  return b.is_none(name) ? ir::Attr(ir::None{}) : ir::Attr(TensorRef{b.real(name)});
}

void batch_norm(QuantBuilder& b) {
  apply(b, "aten::batch_norm", b.has("qx") ? "qx" : "input",
        {{"weight", tensor_or_none(b, "weight")},
         {"bias", tensor_or_none(b, "bias")},
         {"running_mean", tensor_or_none(b, "mean")},
         {"running_var", tensor_or_none(b, "var")},
         {"training", false},
         {"momentum", 0.1},
         {"eps", number(b, "eps", 1e-5)},
         {"cudnn_enabled", false}});
}
void layer_norm(QuantBuilder& b) {
  apply(b, "aten::layer_norm", "input",
        {{"normalized_shape", b.dims("normalized_shape")},
         {"weight", tensor_or_none(b, "weight")},
         {"bias", tensor_or_none(b, "bias")},
         {"eps", number(b, "eps", 1e-5)},
         {"cudnn_enable", false}});
}
void group_norm(QuantBuilder& b) {
  apply(b, "aten::group_norm", "input",
        {{"num_groups", Dim(b.integer("num_groups", 1))},
         {"weight", tensor_or_none(b, "weight")},
         {"bias", tensor_or_none(b, "bias")},
         {"eps", number(b, "eps", 1e-5)},
         {"cudnn_enabled", false}});
}
void instance_norm(QuantBuilder& b) {
  apply(b, "aten::instance_norm", "input",
        {{"weight", tensor_or_none(b, "weight")},
         {"bias", tensor_or_none(b, "bias")},
         {"running_mean", ir::None{}},
         {"running_var", ir::None{}},
         {"use_input_stats", true},
         {"momentum", 0.1},
         {"eps", number(b, "eps", 1e-5)},
         {"cudnn_enabled", false}});
}

/// Outside of training it gives what it is given.
void dropout(QuantBuilder& b) {
  if (b.flag("training", false)) return b.refuse("it is random");
  b.define_real(b.real("self"));
}

/// The same as aten's, on steps: the integers lie as the reals do.
void max_pool(QuantBuilder& b) {
  const bool is_flat = b.word() == "max_pool1d";
  b.define(b.emit(is_flat ? "aten::max_pool1d" : "aten::max_pool2d",
                  {{"self", TensorRef{b.steps("qx")}},
                   {"kernel_size", b.dims("kernel_size")},
                   {"stride", b.dims("stride")},
                   {"padding", b.dims("padding")},
                   {"dilation", b.dims("dilation")},
                   {"ceil_mode", b.flag("ceil_mode", false)}},
                  DType::f32, b.output().shape));
}

}  // namespace

QuantRule find_function_rule(std::string_view word) {
  static const QuantRules rules = {
      {"add", add},
      {"add_relu", add},
      {"add_scalar", add},
      {"add_scalar_relu", add},
      {"mul", mul},
      {"mul_relu", mul},
      {"mul_scalar", mul},
      {"mul_scalar_relu", mul},
      {"matmul", matmul},
      {"cat", cat},
      {"cat_relu", cat},
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
      {"batch_norm", batch_norm},
      {"batch_norm_relu", batch_norm},
      {"batch_norm1d", batch_norm},
      {"batch_norm1d_relu", batch_norm},
      {"batch_norm2d", batch_norm},
      {"batch_norm2d_relu", batch_norm},
      {"batch_norm3d", batch_norm},
      {"batch_norm3d_relu", batch_norm},
      {"layer_norm", layer_norm},
      {"group_norm", group_norm},
      {"instance_norm", instance_norm},
      {"dropout", dropout},
      {"max_pool1d", max_pool},
      {"max_pool2d", max_pool},
  };
  return rule_in(rules, word);
}

}  // namespace t2n::quant
