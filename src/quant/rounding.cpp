#include "src/quant/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace t2n::quant {
namespace {

/// Elements that a loop takes at once.
constexpr int64_t kBlock = 64;
/// LibTorch deals longer loops out to threads, wherever that cuts a row; the last block is less
/// than a half percent of their elements.
constexpr int64_t kLongest = 16384;

/// The size of an operand at an axis of the result, counted from the last.
ir::Dim size_from_last(const ir::Shape& shape, size_t from_last) {
  return from_last < shape.size() ? shape[shape.size() - 1 - from_last] : ir::Dim(1);
}

/// The last axes of the result along which all operands have their elements in one row. Nothing if
/// sizes are open.
std::optional<ir::Ints> row_of(const ir::Shape& result, const std::vector<ir::Shape>& operands) {
  ir::Ints row;
  std::vector<bool> repeated;  // by operand: whether it repeats along the row
  for (size_t i = 0; i < result.size(); ++i) {
    const ir::Dim size = size_from_last(result, i);
    std::vector<bool> here;
    for (const ir::Shape& each : operands) here.push_back(size_from_last(each, i) == ir::Dim(1));
    if (size != ir::Dim(1)) {
      if (!repeated.empty() && here != repeated) break;
      repeated = here;
    }
    if (!size.is_constant()) return std::nullopt;
    row.insert(row.begin(), size.value());
  }
  return row;
}

/// The axis of channels becomes the last one.
template <typename Shape>
Shape channels_to_end(Shape shape) {
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

/// For the last axes of a shape of `rank` axes of which the channels are the last: with the
/// channels as the second.
Vectors channels_from_end(const Vectors& last, size_t rank) {
  if (last.reach != Vectors::Reach::some) return last;
  ir::Ints whole = last.shape;
  whole.insert(whole.begin(), rank - whole.size(), 1);
  const int64_t channels = whole.back();
  const int64_t pixels = std::accumulate(whole.begin() + 1, whole.end() - 1, int64_t{1},
                                         std::multiplies<int64_t>());
  Vectors out = {Vectors::Reach::some, whole, {}};
  std::rotate(out.shape.begin() + 1, out.shape.end() - 1, out.shape.end());
  for (int64_t n = 0; n < whole.front(); ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p)
        out.taken.push_back(last.taken.at(static_cast<size_t>((n * pixels + p) * channels + c)));
  return out;
}

}  // namespace

Vectors vectors_in_rows(const ir::Ints& row, int64_t block) {
  const int64_t length =
      std::accumulate(row.begin(), row.end(), int64_t{1}, std::multiplies<int64_t>());
  const int64_t whole = length / block * block;
  if (whole == 0) return {Vectors::Reach::none, {}, {}};
  if (whole == length) return {};
  Vectors out = {Vectors::Reach::some, row, std::vector<bool>(static_cast<size_t>(length))};
  std::fill_n(out.taken.begin(), whole, true);
  return out;
}

Vectors vectors_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands,
                         MemoryOrder order) {
  if (order == MemoryOrder::mixed) return {Vectors::Reach::none, {}, {}};
  const bool moves = order == MemoryOrder::channels_last;
  std::vector<ir::Shape> moved = operands;
  for (ir::Shape& each : moved) {
    if (moves && each.size() != result.size()) return {};
    if (moves) each = channels_to_end(each);
  }
  const auto row = row_of(moves ? channels_to_end(result) : result, moved);
  if (!row) return {};
  const auto elements = std::accumulate(row->begin(), row->end(), 1.0, std::multiplies<double>());
  if (elements > static_cast<double>(kLongest)) return {};
  const Vectors out = vectors_in_rows(*row, kBlock);
  return moves ? channels_from_end(out, result.size()) : out;
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
