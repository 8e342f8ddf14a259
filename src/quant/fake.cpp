// Fake quantisation: reals are rounded to what integers could represent, and stay reals.
#include "src/quant/fake.h"

#include <algorithm>
#include <cmath>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// f32 represents all integers up to here.
constexpr double kMostExact = 0x1.0p24;

/// The grid to which an operator rounds.
struct Grid {
  ValueId scale = ir::kNoValue;        ///< f32, broadcast to the operand
  ValueId point = ir::kNoValue;        ///< likewise: the zero point
  std::optional<double> shared_point;  ///< known and equal in all channels
  double low = 0;
  double high = 255;
  ZeroPoint added = ZeroPoint::after_rounding;
  DType dtype = DType::f32;  ///< the dtype in which torch computes
};

/// One number, or one for each index of `axis`, as f32 that broadcasts to the operand.
ValueId broadcast_to(QuantBuilder& b, ValueId given, ValueId x, bool is_per_channel) {
  given = b.cast(given, DType::f32);
  if (!is_per_channel) return b.reshape(given, {});
  int64_t axis = b.integer(b.has("axis") ? "axis" : "ch_axis", 0);
  if (axis < 0) axis += b.rank(x);
  ir::Shape shape(static_cast<size_t>(b.rank(x) - axis), Dim(1));
  shape.at(0) = b.shape(given).at(0);
  return b.reshape(given, shape);
}

std::optional<double> shared(const std::optional<std::vector<double>>& values) {
  const bool is_one = values && !values->empty() &&
                      std::all_of(values->begin(), values->end(),
                                  [&](double each) { return each == values->front(); });
  return is_one ? std::optional(values->front()) : std::nullopt;
}

/// A learnt zero point is any real number; torch uses the nearest allowed integer.
void settle_learnt_point(QuantBuilder& b, Grid& grid) {
  grid.point = b.clamped(b.rounded(grid.point), grid.low, grid.high);
  if (grid.shared_point)
    grid.shared_point = std::clamp(std::nearbyint(*grid.shared_point), grid.low, grid.high);
}

ValueId given_tensor(QuantBuilder& b, std::string_view name) {
  const ValueId tensor = b.tensor(name);
  return tensor == ir::kNoValue ? b.number(b.Rewriter::real(name, 0), DType::f32) : tensor;
}

Grid grid_of(QuantBuilder& b, ValueId x) {
  Grid grid;
  const bool is_per_channel = b.has("axis");
  grid.low = static_cast<double>(b.integer("quant_min", 0));
  grid.high = static_cast<double>(b.integer("quant_max", 255));
  grid.scale = broadcast_to(b, given_tensor(b, "scale"), x, is_per_channel);
  const ValueId point = given_tensor(b, "zero_point");
  grid.point = broadcast_to(b, point, x, is_per_channel);
  grid.shared_point = shared(b.known("zero_point"));
  if (b.base_name().starts_with("_fake_quantize_learnable"))
    settle_learnt_point(b, grid);
  else if (is_per_channel && ir::is_float(b.dtype(point)))
    grid.added = ZeroPoint::before_rounding;
  if (is_per_channel && b.dtype(x) == DType::f64) grid.dtype = DType::f64;
  return grid;
}

/// The operand in steps plus the zero point, before clamping.
ValueId counted(QuantBuilder& b, ValueId x, const Grid& grid) {
  const ValueId inverse = b.unary("aten::reciprocal", grid.scale);
  if (grid.added == ZeroPoint::after_rounding) {
    const ValueId steps = b.binary("aten::mul.Tensor", x, b.cast(inverse, grid.dtype));
    return b.binary("aten::add.Tensor", b.rounded(steps), b.cast(grid.point, grid.dtype));
  }
  // Multiplied and added with one rounding, like a sum in f64.
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.cast(inverse, DType::f64));
  const ValueId sum = b.binary("aten::add.Tensor", product, b.cast(grid.point, DType::f64));
  return b.rounded(b.cast(sum, grid.dtype));
}

/// A known zero point moves the bounds: sums of whole numbers within them are exact.
ValueId steps_of_known(QuantBuilder& b, ValueId x, const Grid& grid) {
  const ValueId inverse = b.cast(b.unary("aten::reciprocal", grid.scale), grid.dtype);
  const ValueId steps = b.rounded(b.binary("aten::mul.Tensor", x, inverse));
  return b.clamped(steps, grid.low - *grid.shared_point, grid.high - *grid.shared_point);
}

ValueId steps_on(QuantBuilder& b, ValueId x, const Grid& grid, DType dtype) {
  const bool is_simple =
      grid.shared_point && (grid.added == ZeroPoint::after_rounding || *grid.shared_point == 0);
  if (is_simple) return steps_of_known(b, x, grid);
  const ValueId q = b.clamped(counted(b, x, grid), grid.low, grid.high);
  return b.binary("aten::sub.Tensor", b.cast(q, dtype), b.cast(grid.point, dtype));
}

/// True where nothing was clamped.
ValueId mask_of(QuantBuilder& b, ValueId x, const Grid& grid) {
  const ValueId q = counted(b, x, grid);
  return b.binary("aten::logical_and",
                  b.binary("aten::ge.Tensor", q, b.number(grid.low, grid.dtype)),
                  b.binary("aten::le.Tensor", q, b.number(grid.high, grid.dtype)));
}

bool has_mask(const QuantBuilder& b) { return b.node().outputs.size() > 1; }

/// Beyond 24 bits, torch's results can only be reproduced as steps from zero.
bool refuse_large(QuantBuilder& b, const Grid& grid) {
  const bool is_large = std::max(std::abs(grid.low), std::abs(grid.high)) > kMostExact;
  if (!is_large || grid.shared_point == 0.0) return false;
  b.refuse("its integers have more than 24 bits, and a zero point",
           "quantise with a zero point of 0");
  return true;
}

/// Whether it is a step, as for quantised tensors: torch multiplies with one divided by it.
bool is_step(double scale) {
  return scale > 0 && std::isfinite(scale) && !std::isinf(1 / static_cast<float>(scale));
}

/// Refuses scales that are no steps and zero points that are no integers, as far as they are known.
/// torch itself cuts off a learnt zero point.
bool refuse_grid(QuantBuilder& b, const std::optional<std::vector<double>>& scales,
                 const std::optional<std::vector<double>>& points, const Grid& grid) {
  const std::string help = "calibrate or train the quantiser before saving the model";
  if (scales)
    for (const double scale : *scales)
      if (!is_step(scale)) return b.refuse(cat("it has the scale ", scale), help), true;
  const bool is_learnt = b.base_name().starts_with("_fake_quantize_learnable");
  if (points && !is_learnt)
    for (const double point : *points)
      if (!(point >= grid.low && point <= grid.high))
        return b.refuse(cat("its zero point is ", point, ", and its integers go from ", grid.low,
                            " to ", grid.high),
                        help),
               true;
  return false;
}

void define_on(QuantBuilder& b, ValueId given, const Grid& grid) {
  b.ignore({"grad_factor"}, "it is for training");
  const ValueId x = b.cast(given, grid.dtype);
  // Minus a zero point that is not an integer, times the scale: rounded once, at the end.
  const bool is_wide = grid.added == ZeroPoint::before_rounding && grid.shared_point != 0.0;
  const DType dtype = is_wide ? DType::f64 : grid.dtype;
  const ValueId steps = steps_on(b, x, grid, dtype);
  b.define(b.binary("aten::mul.Tensor", steps, b.cast(grid.scale, dtype)));
  if (has_mask(b)) b.define(mask_of(b, x, grid), 1);
}

void define_unchanged(QuantBuilder& b, ValueId x) {
  b.ignore_rest("it is off");
  b.define(x);
  if (!has_mask(b)) return;
  const ir::Shape shape = b.output(1).shape;  // values move when there are more
  b.define(b.expand(b.number(1, DType::boolean), shape), 1);
}

void fake_quantize(QuantBuilder& b) {
  const ValueId x = b.tensor("self");
  const std::string_view enabled = "fake_quant_enabled";
  const auto is_on = b.has(enabled) ? b.known(enabled) : std::vector<double>{1};
  if (!is_on)
    return b.refuse("whether it quantises follows from the inputs",
                    "let fake_quant_enabled be a constant");
  if (is_on->empty() || is_on->front() == 0) return define_unchanged(b, x);
  const Grid grid = grid_of(b, x);
  if (refuse_grid(b, b.known("scale"), b.known("zero_point"), grid)) return;
  if (!refuse_large(b, grid)) define_on(b, x, grid);
}

/// Whether an observer has a range: before it saw anything, it goes from infinity to -infinity.
bool has_seen(const std::vector<double>& low, const std::vector<double>& high) {
  for (size_t i = 0; i < low.size(); ++i)
    if (!(low[i] <= high.at(i)) || !std::isfinite(low[i]) || !std::isfinite(high[i])) return false;
  return !low.empty();
}

/// The tracer lets it pass only while its observer is off; then it quantises by its statistics.
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
    return b.refuse("what it has observed follows from the inputs",
                    "let running_min, running_max and fake_quant_on be constants");
  if (is_on->empty() || is_on->front() == 0) return define_unchanged(b, x);
  if (!has_seen(*low, *high))
    return b.refuse("its observer never saw data, or saw NaN or infinities",
                    "run the prepared model on samples before saving it");
  const Affine chosen =
      chosen_affine(*low, *high, b.integer("quant_min", 0), b.integer("quant_max", 255),
                    b.flag("symmetric_quant", false));
  const auto count = static_cast<int64_t>(chosen.scales.size());
  const bool is_per_channel = b.flag("per_row_fake_quant", false);
  b.ignore({"scale", "zero_point"}, "they are computed of what was observed");
  b.ignore({"averaging_const"}, "nothing is observed");
  b.ignore({"ch_axis"}, "it is read where there are channels");
  Grid grid;
  grid.low = static_cast<double>(b.integer("quant_min", 0));
  grid.high = static_cast<double>(b.integer("quant_max", 255));
  grid.scale = broadcast_to(b, b.constant({count}, chosen.scales, DType::f32), x, is_per_channel);
  grid.point =
      broadcast_to(b, b.constant({count}, chosen.zero_points, DType::f32), x, is_per_channel);
  grid.shared_point = shared(chosen.zero_points);
  if (is_per_channel && b.dtype(x) == DType::f64) grid.dtype = DType::f64;
  if (!refuse_large(b, grid)) define_on(b, x, grid);
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
