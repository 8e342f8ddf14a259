#include "src/quant/rounding.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace t2n::quant {
namespace {

constexpr int64_t kTwoVectors = 128;

/// The size of an operand at an axis of the result, counted from the last.
ir::Dim size_from_last(const ir::Shape& shape, size_t from_last) {
  return from_last < shape.size() ? shape[shape.size() - 1 - from_last] : ir::Dim(1);
}

/// How many elements of the result lie in one row of all operands; nothing if sizes are open, which
/// counts as many.
std::optional<int64_t> row_length(const ir::Shape& result, const std::vector<ir::Shape>& operands) {
  int64_t length = 1;
  std::vector<bool> repeated;  // by operand: whether it repeats along the row
  for (size_t i = 0; i < result.size(); ++i) {
    const ir::Dim size = size_from_last(result, i);
    if (size == ir::Dim(1)) continue;
    std::vector<bool> here;
    for (const ir::Shape& each : operands) here.push_back(size_from_last(each, i) == ir::Dim(1));
    if (!repeated.empty() && here != repeated) break;
    repeated = here;
    if (!size.is_constant()) return std::nullopt;
    length *= size.value();
  }
  return length;
}

}  // namespace

ZeroPoint zero_point_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands) {
  const std::optional<int64_t> length = row_length(result, operands);
  return length && *length < kTwoVectors ? ZeroPoint::before_rounding : ZeroPoint::after_rounding;
}

double steps_of_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point) {
  const auto point = static_cast<double>(info.zero_points[0]);
  const double inverse = as_f32(1 / as_f32(info.scales[0]));
  const double product = as_f32(value) * inverse;
  double q = 0;
  switch (zero_point) {
    case ZeroPoint::before_rounding: q = std::nearbyint(as_f32(as_f32(product) + point)); break;
    case ZeroPoint::after_rounding: q = std::nearbyint(as_f32(product)) + point; break;
    case ZeroPoint::fused: q = std::nearbyint(as_f32(product + point)); break;
  }
  return std::clamp(q, static_cast<double>(info.lowest()), static_cast<double>(info.highest())) -
         point;
}

double premultiplied_error(const ir::QuantInfo& info) {
  const double product = as_f32(info.scales[0]) * static_cast<double>(info.zero_points[0]);
  return product - as_f32(product);
}

}  // namespace t2n::quant
