// SPDX-License-Identifier: Apache-2.0
// Fake quantisation: floats are rounded to values that quantised integers represent, and stay
// floats.
#include "src/quant/fake.h"

#include <algorithm>
#include <cmath>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// f32 represents all integers up to here.
constexpr double kMostExact = 0x1.0p24;

/// The quantisation parameters of an operator.
struct FakeQParams {
  ValueId scale = ir::kNoValue;        ///< f32, broadcast to the operand
  ValueId point = ir::kNoValue;        ///< likewise: the zero point
  std::optional<double> shared_point;  ///< known and equal in all channels
  double low = 0;
  double high = 255;
  ZeroPoint added = ZeroPoint::after_rounding;
  DType dtype = DType::f32;  ///< the dtype in which torch computes
};

/// One number, or one for each index of `axis`, as f32 that broadcasts to the operand.
ValueId broadcast_to(QuantBuilder& b, ValueId numbers, ValueId x, bool is_per_channel) {
  numbers = b.cast(numbers, DType::f32);
  if (!is_per_channel) return b.reshape(numbers, {});
  int64_t axis = b.integer(b.has("axis") ? "axis" : "ch_axis", 0);
  if (axis < 0) axis += b.rank(x);
  ir::Shape shape(static_cast<size_t>(b.rank(x) - axis), Dim(1));
  shape.at(0) = b.shape(numbers).at(0);
  return b.reshape(numbers, shape);
}

std::optional<double> shared(const std::optional<std::vector<double>>& values) {
  const bool is_one = values && !values->empty() &&
                      std::all_of(values->begin(), values->end(),
                                  [&](double each) { return each == values->front(); });
  return is_one ? std::optional(values->front()) : std::nullopt;
}

/// A learnt zero point is any float; torch uses the nearest allowed integer.
void round_learnt_point(QuantBuilder& b, FakeQParams& qparams) {
  qparams.point = b.clamped(b.rounded(qparams.point), qparams.low, qparams.high);
  if (qparams.shared_point)
    qparams.shared_point =
        std::clamp(std::nearbyint(*qparams.shared_point), qparams.low, qparams.high);
}

ValueId argument_tensor(QuantBuilder& b, std::string_view name) {
  const ValueId tensor = b.tensor(name);
  return tensor == ir::kNoValue ? b.number(b.scalar(name, 0), DType::f32) : tensor;
}

FakeQParams read_qparams(QuantBuilder& b, ValueId x) {
  FakeQParams qparams;
  const bool is_per_channel = b.has("axis");
  qparams.low = static_cast<double>(b.integer("quant_min", 0));
  qparams.high = static_cast<double>(b.integer("quant_max", 255));
  qparams.scale = broadcast_to(b, argument_tensor(b, "scale"), x, is_per_channel);
  const ValueId point = argument_tensor(b, "zero_point");
  qparams.point = broadcast_to(b, point, x, is_per_channel);
  qparams.shared_point = shared(b.known("zero_point"));
  if (b.base_name().starts_with("_fake_quantize_learnable"))
    round_learnt_point(b, qparams);
  else if (is_per_channel && ir::is_float(b.dtype(point)))
    qparams.added = ZeroPoint::before_rounding;
  if (b.dtype(x) == DType::f64) qparams.dtype = DType::f64;
  return qparams;
}

/// The operand as integers, before clamping.
ValueId unclamped(QuantBuilder& b, ValueId x, const FakeQParams& qparams) {
  const ValueId inverse = b.unary("aten::reciprocal", qparams.scale);
  if (qparams.added == ZeroPoint::after_rounding) {
    const ValueId scaled = b.binary("aten::mul.Tensor", x, b.cast(inverse, qparams.dtype));
    return b.binary("aten::add.Tensor", b.rounded(scaled), b.cast(qparams.point, qparams.dtype));
  }
  // Multiplied and added with one rounding, like a sum in f64.
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.cast(inverse, DType::f64));
  const ValueId sum = b.binary("aten::add.Tensor", product, b.cast(qparams.point, DType::f64));
  return b.rounded(b.cast(sum, qparams.dtype));
}

/// Subtracts a known zero point from the bounds, which is exact.
ValueId centred_by_known_point(QuantBuilder& b, ValueId x, const FakeQParams& qparams) {
  const ValueId inverse = b.cast(b.unary("aten::reciprocal", qparams.scale), qparams.dtype);
  const ValueId integers = b.rounded(b.binary("aten::mul.Tensor", x, inverse));
  return b.clamped(integers, qparams.low - *qparams.shared_point,
                   qparams.high - *qparams.shared_point);
}

ValueId centred_values(QuantBuilder& b, ValueId x, const FakeQParams& qparams, DType dtype) {
  const bool is_simple = qparams.shared_point &&
                         (qparams.added == ZeroPoint::after_rounding || *qparams.shared_point == 0);
  if (is_simple) return centred_by_known_point(b, x, qparams);
  const ValueId q = b.clamped(unclamped(b, x, qparams), qparams.low, qparams.high);
  return b.binary("aten::sub.Tensor", b.cast(q, dtype), b.cast(qparams.point, dtype));
}

/// True where nothing was clamped.
ValueId mask_of(QuantBuilder& b, ValueId x, const FakeQParams& qparams) {
  const ValueId q = unclamped(b, x, qparams);
  return b.binary("aten::logical_and",
                  b.binary("aten::ge.Tensor", q, b.number(qparams.low, qparams.dtype)),
                  b.binary("aten::le.Tensor", q, b.number(qparams.high, qparams.dtype)));
}

bool has_mask(const QuantBuilder& b) { return b.node().outputs.size() > 1; }

/// Beyond 24 bits, torch's results can only be reproduced with the zero point 0.
bool refuse_large(QuantBuilder& b, const FakeQParams& qparams) {
  const bool is_large = std::max(std::abs(qparams.low), std::abs(qparams.high)) > kMostExact;
  if (!is_large || qparams.shared_point == 0.0) return false;
  b.refuse("its integers have more than 24 bits, and a zero point",
           "quantise with a zero point of 0");
  return true;
}

/// Whether it is a valid scale; torch multiplies by its inverse.
bool is_valid_scale(double scale) {
  return scale > 0 && std::isfinite(scale) && !std::isinf(1 / static_cast<float>(scale));
}

/// Refuses invalid scales and zero points, if they are known. torch rounds a learnt zero point
/// itself.
bool refuse_qparams(QuantBuilder& b, const std::optional<std::vector<double>>& scales,
                    const std::optional<std::vector<double>>& points, const FakeQParams& qparams) {
  const std::string help = "calibrate or train the quantiser before saving the model";
  if (scales)
    for (const double scale : *scales)
      if (!is_valid_scale(scale)) return b.refuse(cat("it has the scale ", scale), help), true;
  const bool is_learnt = b.base_name().starts_with("_fake_quantize_learnable");
  if (points && !is_learnt)
    for (const double point : *points)
      if (!(point >= qparams.low && point <= qparams.high))
        return b.refuse(cat("its zero point is ", point, ", and its integers go from ", qparams.low,
                            " to ", qparams.high),
                        help),
               true;
  return false;
}

void define_fake_quantised(QuantBuilder& b, ValueId operand, const FakeQParams& qparams) {
  b.ignore({"grad_factor"}, "it is for training");
  const ValueId x = b.cast(operand, qparams.dtype);
  // Minus a zero point that is not an integer, times the scale: rounded once, at the end.
  const bool is_wide = qparams.added == ZeroPoint::before_rounding && qparams.shared_point != 0.0;
  const DType dtype = is_wide ? DType::f64 : qparams.dtype;
  const ValueId centred = centred_values(b, x, qparams, dtype);
  b.define(b.binary("aten::mul.Tensor", centred, b.cast(qparams.scale, dtype)));
  if (has_mask(b)) b.define(mask_of(b, x, qparams), 1);
}

void define_unchanged(QuantBuilder& b, ValueId x) {
  b.ignore_rest("it is off");
  b.define(x);
  if (!has_mask(b)) return;
  const ir::Shape shape = b.output(1).shape;  // emitting may reallocate the values
  b.define(b.expand(b.number(1, DType::boolean), shape), 1);
}

void fake_quantize(QuantBuilder& b) {
  const ValueId x = b.tensor("self");
  const std::string_view enabled = "fake_quant_enabled";
  const auto is_on = b.has(enabled) ? b.known(enabled) : std::vector<double>{1};
  if (!is_on)
    return b.refuse("whether it quantises depends on the inputs",
                    "let fake_quant_enabled be a constant");
  if (is_on->empty() || is_on->front() == 0) return define_unchanged(b, x);
  const FakeQParams qparams = read_qparams(b, x);
  if (refuse_qparams(b, b.known("scale"), b.known("zero_point"), qparams)) return;
  if (!refuse_large(b, qparams)) define_fake_quantised(b, x, qparams);
}

/// Whether an observer has a range: before the first data it is from infinity to -infinity.
bool has_range(const std::vector<double>& low, const std::vector<double>& high) {
  for (size_t i = 0; i < low.size(); ++i)
    if (!(low[i] <= high.at(i)) || !std::isfinite(low[i]) || !std::isfinite(high[i])) return false;
  return !low.empty();
}

/// The tracer allows it only with its observer disabled; then it quantises by its statistics.
void fused(QuantBuilder& b) {
  const ValueId x = b.tensor("self");
  const auto observes = b.known("observer_on");
  const auto is_on = b.known("fake_quant_on");
  const auto low = b.known("running_min");
  const auto high = b.known("running_max");
  if (!observes || observes->empty() || observes->front() != 0)
    return b.refuse("whether it observes is not constant",
                    "call model.apply(torch.ao.quantization.disable_observer) before saving");
  if (!is_on || !low || !high)
    return b.refuse("its observed range depends on the inputs",
                    "let running_min, running_max and fake_quant_on be constants");
  if (is_on->empty() || is_on->front() == 0) return define_unchanged(b, x);
  if (!has_range(*low, *high))
    return b.refuse("its observer never saw data, or saw NaN or infinities",
                    "run the prepared model on samples before saving it");
  const Affine params =
      chosen_affine(*low, *high, b.integer("quant_min", 0), b.integer("quant_max", 255),
                    b.flag("symmetric_quant", false));
  const auto count = static_cast<int64_t>(params.scales.size());
  const bool is_per_channel = b.flag("per_row_fake_quant", false);
  b.ignore({"scale", "zero_point"}, "they are computed from the observed range");
  b.ignore({"averaging_const"}, "nothing is observed");
  b.ignore({"ch_axis"}, "it is read where there are channels");
  FakeQParams qparams;
  qparams.low = static_cast<double>(b.integer("quant_min", 0));
  qparams.high = static_cast<double>(b.integer("quant_max", 255));
  qparams.scale =
      broadcast_to(b, b.constant({count}, params.scales, DType::f32), x, is_per_channel);
  qparams.point =
      broadcast_to(b, b.constant({count}, params.zero_points, DType::f32), x, is_per_channel);
  qparams.shared_point = shared(params.zero_points);
  if (b.dtype(x) == DType::f64) qparams.dtype = DType::f64;
  if (!refuse_large(b, qparams)) define_fake_quantised(b, x, qparams);
}

}  // namespace

const QuantRules& fake_rules() {
  static const QuantRules rules = {
      {"fake_quantize_per_tensor_affine", fake_quantize},
      {"fake_quantize_per_tensor_affine_cachemask", fake_quantize},
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", fake_quantize},
      {"fake_quantize_per_channel_affine", fake_quantize},
      {"fake_quantize_per_channel_affine_cachemask", fake_quantize},
      {"_fake_quantize_learnable_per_tensor_affine", fake_quantize},
      {"_fake_quantize_learnable_per_channel_affine", fake_quantize},
      {"fused_moving_avg_obs_fake_quant", fused},
      {"_fused_moving_avg_obs_fq_helper", fused}};
  return rules;
}

}  // namespace t2n::quant
