// Operators of `aten` on quantised tensors: conversions, and operators for both kinds of tensors.
#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// A scale for each index of an axis: the product is rounded before the zero point is added. In f64
/// the product is exact, and no engine merges it with an earlier factor.
void quantize_channels(QuantBuilder& b, ValueId x) {
  const ir::QuantInfo& to = *b.output_info();
  std::vector<double> inverse;
  for (const double scale : to.scales) inverse.push_back(as_f32(1 / as_f32(scale)));
  ir::Ints shape(static_cast<size_t>(b.rank(x) - to.axis), 1);
  shape.at(0) = std::ssize(inverse);
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.constant(shape, inverse, DType::f64));
  b.define(b.steps_from(b.cast(product, DType::f32), to, ZeroPoint::before_rounding));
}

void quantize(QuantBuilder& b) {
  if (b.base_name() == "quantize_per_channel") return quantize_channels(b, b.real("self"));
  if (b.is_open("scale") || b.is_open("zero_point")) return define_quantised_by_given(b);
  // One scale: fbgemm does this case.
  if (!b.has("tensors")) return b.define_real(b.real("self"), ZeroPoint::fused);
  const std::vector<ValueId> all = b.reals("tensors");
  for (size_t i = 0; i < all.size(); ++i)
    b.define_real(all[i], ZeroPoint::fused, false, static_cast<int>(i));
}

void integers_as(QuantBuilder& b) {
  b.ignore({"dtype"}, "the output has it");
  b.define(b.cast(b.counted_at(b.original("self")), b.output().dtype));
}

void make_quantised(QuantBuilder& b) {
  b.define(b.steps_of(b.tensor("self"), *b.output_info()));
  b.follow_wide(true);
}

/// A tensor has one known scale in the graph.
void channel_scales(QuantBuilder& b) {
  const std::vector<double>& scales = b.info("self").scales;
  b.define(b.constant({std::ssize(scales)}, scales, b.output().dtype));
}
void channel_points(QuantBuilder& b) {
  const std::vector<int64_t>& points = b.info("self").zero_points;
  b.define(b.constant({std::ssize(points)}, {points.begin(), points.end()}, b.output().dtype));
}

/// The numbers that the graph computes for a tensor that quantised itself.
void step_number(QuantBuilder& b) {
  const DynamicScale step = b.dynamic_step("self");
  if (step.exact == ir::kNoValue) return b.refuse("the graph does not compute the scale");
  b.define(b.base_name() == "q_scale" ? step.exact : b.cast(step.zero_point, b.output().dtype));
}

/// A quantised source gives its integers and its scale; other sources are quantised.
void copy(QuantBuilder& b) {
  b.ignore({"self"}, "all of it is written");
  const ir::Shape shape = b.output().shape;
  if (b.is_quantised("src")) return b.define(b.expand(b.steps("src"), shape));
  const bool is_per_channel = b.output_info()->is_per_channel();
  b.define_real(b.expand(b.cast(b.real("src"), DType::f32), shape),
                is_per_channel ? ZeroPoint::before_rounding : ZeroPoint::fused);
}

void fill(QuantBuilder& b) {
  if (b.output_info()->is_per_channel() || b.tensor("value") != ir::kNoValue)
    return b.refuse("it has no form for quantised tensors here");
  b.ignore({"self"}, "all of it is written");
  const double steps =
      steps_of_number(b.Rewriter::real("value", 0), *b.output_info(), ZeroPoint::fused);
  const ir::Shape shape = b.output().shape;
  b.define(b.expand(b.number(steps, DType::f32), shape));
}

/// Memory that nobody wrote to: its integers are zeros, as in all runs of the model here.
void empty(QuantBuilder& b) {
  b.ignore_rest("the result has their shape and scale");
  const ir::Shape shape = b.output().shape;
  const ValueId zeros = b.expand(b.number(0, DType::f32), shape);
  b.define(b.steps_of(zeros, *b.output_info()));
}

void round(QuantBuilder& b) { b.are_equal() ? b.round_on_steps() : b.redo_on_reals(); }

/// The mean of a tensor whose elements lie in rows, over its last axes, is one of steps; any other
/// is one of reals.
void mean(QuantBuilder& b) {
  const int rank = static_cast<int>(b.shape(b.original("self")).size());
  ir::Ints axes = b.has("dim") && !b.is_none("dim") ? b.axes("dim", rank) : ir::Ints{};
  std::sort(axes.begin(), axes.end());
  const bool is_innermost =
      axes.empty() || axes.front() == rank - static_cast<int64_t>(axes.size());
  if (is_innermost && b.order() == MemoryOrder::rows) return round(b);
  b.redo_on_reals(ZeroPoint::fused);
}

/// Means of channels-last images: 16 channels at once, and the others one by one.
void pool(QuantBuilder& b) {
  constexpr int64_t kBlock = 16;
  const Dim channels = b.output().shape.size() < 3 ? Dim(1) : b.output().shape.at(1);
  if (b.order() != MemoryOrder::channels_last || !b.are_equal() || !channels.is_constant())
    return round(b);
  ir::Ints row(b.output().shape.size() - 1, 1);
  row[0] = channels.value();
  b.round_on_steps(vectors_in_rows(row, kBlock));
}

void redo(QuantBuilder& b) { b.redo_on_reals(); }
/// Element by element.
void redo_singly(QuantBuilder& b) { b.redo_on_reals(ZeroPoint::before_rounding); }

void redo_in_loops(QuantBuilder& b) {
  const Vectors vectors = b.loop_over({"self"});
  const std::vector<ValueId> made =
      b.again([&](ValueId) { return b.real_in_loops("self", vectors); });
  b.define_real(made.at(0), vectors);
}

/// A number that is compared with steps is rounded to a step, whatever rearranges them.
void keep_with_number(QuantBuilder& b, std::string_view argument, ZeroPoint zero_point) {
  const double value = b.Rewriter::real(argument, 0);
  b.set(argument, steps_of_number(value, b.info("self"), zero_point));
  b.keep_on_steps();
}

void pad(QuantBuilder& b) { keep_with_number(b, "value", ZeroPoint::fused); }

/// The value is a number, or a tensor of rank 0.
void masked_fill(QuantBuilder& b) {
  if (b.tensor("value") == ir::kNoValue)
    return keep_with_number(b, "value", ZeroPoint::before_rounding);
  b.redo_on_reals(ZeroPoint::before_rounding);
}

/// quantized::max_pool does the same under another name.
void aten_max_pool(QuantBuilder& b) {
  const std::string op =
      "aten::" + std::string(b.base_name().substr(std::string_view("quantized_").size()));
  b.keep_on_steps(op);
}

/// Integers are clamped to the integers of the bounds.
void aten_clamp(QuantBuilder& b) {
  constexpr std::string_view kBounds[] = {"min", "max", "min_val", "max_val"};
  for (const std::string_view each : kBounds)
    if (b.has(each) && !b.is_none(each))
      b.set(each,
            steps_of_number(b.Rewriter::real(each, 0), b.info("self"), ZeroPoint::before_rounding));
  b.keep_on_steps();
}

/// The same kernel as quantized::prelu.
void aten_prelu(QuantBuilder& b) { define_prelu(b, "self"); }
void aten_batch_norm(QuantBuilder& b) { define_batch_norm(b, "input"); }

/// Operators that take means: of steps, rounded.
constexpr std::string_view kRound[] = {
    "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",  "avg_pool1d",           "grid_sampler_2d",     "grid_sampler"};

/// Operators that torch computes on reals.
constexpr std::string_view kRedo[] = {"eq", "ge", "gt", "le", "lt", "ne"};

/// The same, but in loops over vectors.
constexpr std::string_view kRedoInLoops[] = {"gelu",    "hardsigmoid", "leaky_relu",
                                             "sigmoid", "tanh",        "threshold"};

QuantRules aten_table() {
  QuantRules out = {{"quantize_per_tensor", quantize},
                    {"quantize_per_channel", quantize},
                    {"quantize_per_tensor_dynamic", define_dynamically_quantised},
                    {"cast", integers_as},
                    {"_make_per_tensor_quantized_tensor", make_quantised},
                    {"_make_per_channel_quantized_tensor", make_quantised},
                    {"q_scale", step_number},
                    {"q_zero_point", step_number},
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
                    {"std", redo_singly},
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
