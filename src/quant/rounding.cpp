// SPDX-License-Identifier: Apache-2.0
#include "src/quant/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace t2n::quant {
namespace {

/// The vector size of loops, in elements.
constexpr int64_t kBlock = 64;
/// LibTorch splits longer loops among threads at arbitrary elements; the last block is less than
/// half a percent of their elements.
constexpr int64_t kLongest = 16384;

/// The size of an operand at an axis of the result, counted from the last.
ir::Dim size_from_last(const ir::Shape& shape, size_t from_last) {
  return from_last < shape.size() ? shape[shape.size() - 1 - from_last] : ir::Dim(1);
}

/// The last axes of the result along which all operands are contiguous. Nothing for dynamic sizes.
std::optional<ir::Ints> row_of(const ir::Shape& result, const std::vector<ir::Shape>& operands) {
  ir::Ints row;
  std::vector<bool> is_broadcast;  // by operand, along the row
  for (size_t i = 0; i < result.size(); ++i) {
    const ir::Dim size = size_from_last(result, i);
    std::vector<bool> is_broadcast_here;
    for (const ir::Shape& each : operands)
      is_broadcast_here.push_back(size_from_last(each, i) == ir::Dim(1));
    if (size != ir::Dim(1)) {
      if (!is_broadcast.empty() && is_broadcast_here != is_broadcast) break;
      is_broadcast = is_broadcast_here;
    }
    if (!size.is_constant()) return std::nullopt;
    row.insert(row.begin(), size.value());
  }
  return row;
}

/// Moves the channel axis to the end.
template <typename Shape>
Shape channels_to_end(Shape shape) {
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

/// Moves the channel axis of `last`, the last axes of a shape of `rank` axes, from the end to
/// axis 1.
Vectors channels_from_end(const Vectors& last, size_t rank) {
  if (last.reach != Vectors::Reach::some) return last;
  ir::Ints shape = last.shape;
  shape.insert(shape.begin(), rank - shape.size(), 1);
  const int64_t channels = shape.back();
  const int64_t pixels =
      std::accumulate(shape.begin() + 1, shape.end() - 1, int64_t{1}, std::multiplies<int64_t>());
  Vectors out = {Vectors::Reach::some, shape, {}};
  std::rotate(out.shape.begin() + 1, out.shape.end() - 1, out.shape.end());
  for (int64_t n = 0; n < shape.front(); ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p)
        out.is_vectorised.push_back(last.is_vectorised.at((n * pixels + p) * channels + c));
  return out;
}

}  // namespace

Vectors vectors_in_rows(const ir::Ints& row, int64_t block) {
  const int64_t length =
      std::accumulate(row.begin(), row.end(), int64_t{1}, std::multiplies<int64_t>());
  const int64_t in_blocks = length / block * block;
  if (in_blocks == 0) return {Vectors::Reach::none, {}, {}};
  if (in_blocks == length) return {};
  Vectors out = {Vectors::Reach::some, row, std::vector<bool>(static_cast<size_t>(length))};
  std::fill_n(out.is_vectorised.begin(), in_blocks, true);
  return out;
}

Vectors vectors_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands,
                         MemoryOrder order) {
  if (order == MemoryOrder::mixed) return {Vectors::Reach::none, {}, {}};
  const bool channels_last = order == MemoryOrder::channels_last;
  std::vector<ir::Shape> contiguous = operands;
  for (ir::Shape& each : contiguous) {
    if (channels_last && each.size() != result.size()) return {};
    if (channels_last) each = channels_to_end(each);
  }
  const auto row = row_of(channels_last ? channels_to_end(result) : result, contiguous);
  if (!row) return {};
  const auto elements = std::accumulate(row->begin(), row->end(), 1.0, std::multiplies<double>());
  if (elements > static_cast<double>(kLongest)) return {};
  const Vectors out = vectors_in_rows(*row, kBlock);
  return channels_last ? channels_from_end(out, result.size()) : out;
}

double centred_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point) {
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

std::optional<ScaleParts> scale_parts(const ir::QuantInfo& info, double error) {
  constexpr double kMostIntegers = 256;
  const auto low = static_cast<double>(info.lowest() - info.zero_points[0]);
  const auto high = static_cast<double>(info.highest() - info.zero_points[0]);
  if (high - low >= kMostIntegers) return std::nullopt;
  const double scale = as_f32(info.scales[0]);
  const auto is_right = [&](const ScaleParts& parts, double term) {
    for (double c = low; c <= high; ++c) {
      const double rest = parts.low == 0 ? 0 : as_f32(as_f32(c * parts.low) + term);
      if (as_f32(as_f32(c * parts.high) + rest) != as_f32(c * scale + term)) return false;
    }
    return true;
  };
  constexpr int kBits = 16;  // with the 8 of an integer, those of f32
  int exponent = 0;
  std::frexp(scale, &exponent);
  const double unit = std::ldexp(1.0, exponent - kBits);
  const double part = std::nearbyint(scale / unit) * unit;
  for (const ScaleParts& parts : {ScaleParts{scale, 0}, ScaleParts{part, scale - part}})
    if (is_right(parts, error) && is_right(parts, 0)) return parts;
  return std::nullopt;
}

double premultiplied_error(const ir::QuantInfo& info) {
  const double product = as_f32(info.scales[0]) * static_cast<double>(info.zero_points[0]);
  return product - as_f32(product);
}

}  // namespace t2n::quant
