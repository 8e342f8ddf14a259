// SPDX-License-Identifier: Apache-2.0
// Operators of `aten` on quantised tensors: conversions, and operators for float tensors as well.
#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// Per-channel scales: the product is rounded before the zero point is added. In f64 the product is
/// exact, and no engine merges it with an earlier factor.
void quantize_channels(QuantBuilder& b, ValueId x) {
  const ir::QuantInfo& to = *b.output_info();
  std::vector<double> inverse;
  for (const double scale : to.scales) inverse.push_back(as_f32(1 / as_f32(scale)));
  ir::Ints shape(static_cast<size_t>(b.rank(x) - to.axis), 1);
  shape.at(0) = std::ssize(inverse);
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.constant(shape, inverse, DType::f64));
  b.define(b.centred_from(b.cast(product, DType::f32), to, ZeroPoint::before_rounding));
}

void quantize(QuantBuilder& b) {
  if (b.base_name() == "quantize_per_channel") return quantize_channels(b, b.dequantised("self"));
  if (b.depends_on_inputs("scale") || b.depends_on_inputs("zero_point"))
    return define_quantised_by_tensor(b);
  // One scale: fbgemm's kernel.
  if (!b.has("tensors")) return b.define_float(b.dequantised("self"), ZeroPoint::fused);
  const std::vector<ValueId> all = b.dequantised_list("tensors");
  for (size_t i = 0; i < all.size(); ++i)
    b.define_float(all[i], ZeroPoint::fused, false, static_cast<int>(i));
}

void cast_integers(QuantBuilder& b) {
  b.ignore({"dtype"}, "the output has it");
  b.define(b.cast(b.float_integers_at(b.original("self")), b.output().dtype));
}

void make_quantised(QuantBuilder& b) {
  b.define(b.centred_of(b.tensor("self"), *b.output_info()));
  b.propagate_wide(true);
}

/// The graph has the scales of each tensor.
void channel_scales(QuantBuilder& b) {
  const std::vector<double>& scales = b.info("self").scales;
  b.define(b.constant({std::ssize(scales)}, scales, b.output().dtype));
}
void channel_points(QuantBuilder& b) {
  const std::vector<int64_t>& points = b.info("self").zero_points;
  b.define(b.constant({std::ssize(points)}, {points.begin(), points.end()}, b.output().dtype));
}

/// The scale or zero point that the graph computes for a dynamically quantised tensor.
void dynamic_parameter(QuantBuilder& b) {
  const DynamicScale scale = b.dynamic_scale("self");
  if (scale.exact == ir::kNoValue) return b.refuse("the graph does not compute the scale");
  b.define(b.base_name() == "q_scale" ? scale.exact : b.cast(scale.zero_point, b.output().dtype));
}

/// A quantised source keeps its integers and scale; other sources are quantised.
void copy(QuantBuilder& b) {
  b.ignore({"self"}, "all of it is written");
  const ir::Shape shape = b.output().shape;
  if (b.is_quantised("src")) return b.define(b.expand(b.centred("src"), shape));
  const bool is_per_channel = b.output_info()->is_per_channel();
  b.define_float(b.expand(b.cast(b.dequantised("src"), DType::f32), shape),
                 is_per_channel ? ZeroPoint::before_rounding : ZeroPoint::fused);
}

void fill(QuantBuilder& b) {
  if (b.output_info()->is_per_channel() || b.tensor("value") != ir::kNoValue)
    return b.refuse("it has no implementation for quantised tensors");
  b.ignore({"self"}, "all of it is written");
  const double centred = centred_number(b.scalar("value", 0), *b.output_info(), ZeroPoint::fused);
  const ir::Shape shape = b.output().shape;
  b.define(b.expand(b.number(centred, DType::f32), shape));
}

/// Uninitialised memory: its integers are zeros, as in all runs of the model here.
void empty(QuantBuilder& b) {
  b.ignore_rest("the result has their shape and scale");
  const ir::Shape shape = b.output().shape;
  const ValueId zeros = b.expand(b.number(0, DType::f32), shape);
  b.define(b.centred_of(zeros, *b.output_info()));
}

void round(QuantBuilder& b) {
  b.have_equal_qparams() ? b.apply_and_requantise() : b.apply_to_dequantised();
}

/// The mean over the last axes of a contiguous tensor is computed on integers, any other mean on
/// floats.
void mean(QuantBuilder& b) {
  const int rank = static_cast<int>(b.shape(b.original("self")).size());
  ir::Ints axes = b.has("dim") && !b.is_none("dim") ? b.axes("dim", rank) : ir::Ints{};
  std::sort(axes.begin(), axes.end());
  const bool is_innermost =
      axes.empty() || axes.front() == rank - static_cast<int64_t>(axes.size());
  if (is_innermost && b.order() == MemoryOrder::rows) return round(b);
  b.apply_to_dequantised(ZeroPoint::fused);
}

/// Means of channels-last images: blocks of 16 channels are vectorised, the remaining ones are not.
void pool(QuantBuilder& b) {
  constexpr int64_t kBlock = 16;
  const Dim channels = b.output().shape.size() < 3 ? Dim(1) : b.output().shape.at(1);
  if (b.order() != MemoryOrder::channels_last || !b.have_equal_qparams() || !channels.is_constant())
    return round(b);
  ir::Ints row(b.output().shape.size() - 1, 1);
  row[0] = channels.value();
  b.apply_and_requantise(vectors_in_rows(row, kBlock));
}

void redo(QuantBuilder& b) { b.apply_to_dequantised(); }
/// Without vectorisation.
void redo_scalar(QuantBuilder& b) { b.apply_to_dequantised(ZeroPoint::before_rounding); }

void redo_in_loops(QuantBuilder& b) {
  const Vectors vectors = b.loop_over({"self"});
  const std::vector<ValueId> results =
      b.emit_again([&](ValueId) { return b.dequantised_in_loops("self", vectors); });
  b.define_float(results.at(0), vectors);
}

/// A number that is compared with or inserted among the integers is quantised first.
void apply_with_number(QuantBuilder& b, std::string_view argument, ZeroPoint zero_point) {
  const double value = b.scalar(argument, 0);
  b.set(argument, centred_number(value, b.info("self"), zero_point));
  b.apply_to_centred();
}

void pad(QuantBuilder& b) { apply_with_number(b, "value", ZeroPoint::fused); }

/// The value is a number, or a tensor of rank 0.
void masked_fill(QuantBuilder& b) {
  if (b.tensor("value") == ir::kNoValue)
    return apply_with_number(b, "value", ZeroPoint::before_rounding);
  b.apply_to_dequantised(ZeroPoint::before_rounding);
}

/// quantized::max_pool is the same operator under another name.
void aten_max_pool(QuantBuilder& b) {
  const std::string op =
      "aten::" + std::string(b.base_name().substr(std::string_view("quantized_").size()));
  b.apply_to_centred(op);
}

/// Integers are clamped to the integers of the bounds.
void aten_clamp(QuantBuilder& b) {
  constexpr std::string_view kBounds[] = {"min", "max", "min_val", "max_val"};
  for (const std::string_view each : kBounds)
    if (b.has(each) && !b.is_none(each))
      b.set(each, centred_number(b.scalar(each, 0), b.info("self"), ZeroPoint::before_rounding));
  b.apply_to_centred();
}

/// The same kernel as quantized::prelu.
void aten_prelu(QuantBuilder& b) { define_prelu(b, "self"); }
void aten_batch_norm(QuantBuilder& b) { define_batch_norm(b, "input"); }

/// Operators that compute means: of integers, rounded.
constexpr std::string_view kRound[] = {
    "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",  "avg_pool1d",           "grid_sampler_2d",     "grid_sampler"};

/// Operators that torch computes on floats.
constexpr std::string_view kRedo[] = {"eq", "ge", "gt", "le", "lt", "ne"};

/// The same, in vectorised loops.
constexpr std::string_view kRedoInLoops[] = {"gelu",    "hardsigmoid", "leaky_relu",
                                             "sigmoid", "tanh",        "threshold"};

QuantRules aten_table() {
  QuantRules out = {{"quantize_per_tensor", quantize},
                    {"quantize_per_channel", quantize},
                    {"quantize_per_tensor_dynamic", define_dynamically_quantised},
                    {"cast", cast_integers},
                    {"_make_per_tensor_quantized_tensor", make_quantised},
                    {"_make_per_channel_quantized_tensor", make_quantised},
                    {"q_scale", dynamic_parameter},
                    {"q_zero_point", dynamic_parameter},
                    {"q_per_channel_scales", channel_scales},
                    {"q_per_channel_zero_points", channel_points},
                    {"copy", copy},
                    {"fill", fill},
                    {"empty_like", empty},
                    {"empty_quantized", empty},
                    {"_empty_affine_quantized", empty},
                    {"_empty_per_channel_affine_quantized", empty},
                    {"constant_pad_nd", pad},
                    {"pad", pad},
                    {"quantized_max_pool1d", aten_max_pool},
                    {"quantized_max_pool2d", aten_max_pool},
                    {"quantized_max_pool3d", aten_max_pool},
                    {"masked_fill", masked_fill},
                    {"mean", mean},
                    {"avg_pool2d", pool},
                    {"avg_pool3d", pool},
                    {"clamp", aten_clamp},
                    {"hardtanh", aten_clamp},
                    {"prelu", aten_prelu},
                    {"_prelu_kernel", aten_prelu},
                    {"quantized_batch_norm", aten_batch_norm},
                    {"std", redo_scalar},
                    {"upsample_bilinear2d", define_bilinear}};
  for (const std::string_view name : kRound) out.emplace(name, round);
  for (const std::string_view name : kRedo) out.emplace(name, redo);
  for (const std::string_view name : kRedoInLoops) out.emplace(name, redo_in_loops);
  return out;
}

}  // namespace

const QuantRules& tensor_rules() {
  static const QuantRules rules = aten_table();
  return rules;
}

}  // namespace t2n::quant
