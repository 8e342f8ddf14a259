// SPDX-License-Identifier: Apache-2.0
#include "src/localise/digest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace t2n::localise {
namespace {

constexpr int64_t kPieces = 128;
/// Numbers beyond it mask others, as infinities do.
constexpr double kMasking = 1e30;

uint64_t scrambled(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t bits_of(double value) {
  uint64_t out = 0;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

bool is_special(double value) { return !(std::abs(value) < kMasking); }

uint64_t kind_of(double value) { return std::isnan(value) ? 0 : value > 0 ? 1 : 2; }

void add(Pieces& pieces, size_t piece, double value, bool is_positive) {
  pieces.sums[piece] += is_positive ? value : -value;
  pieces.norms[piece] += value * value;
}

void take_roots(Pieces& pieces) {
  for (double& norm : pieces.norms) {
    norm = std::sqrt(norm);
    pieces.largest_norm = std::max(pieces.largest_norm, norm);
  }
}

std::optional<double> distance_of_pieces(const Pieces& a, const Pieces& b, double most) {
  // Pieces much smaller than the largest may be differences of large numbers.
  constexpr double kLeast = 0.05;
  const double least = kLeast * std::max(a.largest_norm, b.largest_norm);
  double out = 0;
  for (size_t i = 0; i < a.sums.size(); ++i) {
    const double off = std::max(std::abs(a.sums[i] - b.sums[i]), std::abs(a.norms[i] - b.norms[i]));
    if (off > 0) out = std::max(out, off / std::max({a.norms[i], b.norms[i], least}));
    if (out > most) return {};
  }
  return out;
}

bool is_uniform(const std::vector<double>& values) {
  constexpr size_t kFew = 8;
  const bool are_equal =
      std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
  return are_equal ||
         (values.size() <= kFew && std::all_of(values.begin(), values.end(), [](double value) {
            return value == std::nearbyint(value);
          }));
}

/// The index of an element in row-major order, by axis.
ir::Ints position_of(int64_t index, const ir::Ints& shape) {
  ir::Ints out(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    out[axis] = index % std::max<int64_t>(shape[axis], 1);
    index /= std::max<int64_t>(shape[axis], 1);
  }
  return out;
}

}  // namespace

Digest digest_of(const ir::Tensor& tensor) {
  const std::vector<double> values = ir::to_f64(ir::as_pairs(tensor));
  Digest out;
  out.elements = static_cast<int64_t>(values.size());
  const int64_t pieces = std::clamp<int64_t>(out.elements, 1, kPieces);
  for (Pieces* each : {&out.values, &out.compressed}) {
    each->sums.resize(static_cast<size_t>(pieces));
    each->norms.resize(static_cast<size_t>(pieces));
  }
  for (int64_t i = 0; i < out.elements; ++i) {
    const double value = values[static_cast<size_t>(i)];
    const uint64_t mixed = scrambled(static_cast<uint64_t>(i));
    out.multiset += scrambled(bits_of(value));
    if (is_special(value)) {
      out.special += scrambled(mixed + kind_of(value));
      continue;
    }
    const auto piece = static_cast<size_t>(i * pieces / out.elements);
    add(out.values, piece, value, (mixed & 1) != 0);
    add(out.compressed, piece, std::asinh(value), (mixed & 1) != 0);
  }
  take_roots(out.values);
  take_roots(out.compressed);
  out.is_uniform = is_uniform(values);
  return out;
}

double distance(const Digest& a, const Digest& b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return distance_within(a, b, kInfinite).value_or(kInfinite);
}

std::optional<double> distance_within(const Digest& a, const Digest& b, double most) {
  if (a.elements != b.elements || a.special != b.special) return {};
  const auto values = distance_of_pieces(a.values, b.values, most);
  if (!values) return {};
  const auto compressed = distance_of_pieces(a.compressed, b.compressed, most);
  return compressed ? std::optional(std::max(*values, *compressed)) : std::nullopt;
}

TensorStatistics statistics_of(const std::vector<double>& values) {
  TensorStatistics out;
  double sum = 0;
  int64_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      ++out.not_finite;
      continue;
    }
    out.min = count == 0 ? value : std::min(out.min, value);
    out.max = count == 0 ? value : std::max(out.max, value);
    sum += value;
    ++count;
  }
  if (count > 0) out.mean = sum / static_cast<double>(count);
  return out;
}

TensorDifference difference_of(const ir::Tensor& expected, const ir::Tensor& actual, double noise) {
  const std::vector<double> right = ir::to_f64(ir::as_pairs(expected));
  const std::vector<double> found = ir::to_f64(ir::as_pairs(actual));
  TensorDifference out;
  out.is_known = true;
  out.shape = ir::as_pairs(actual).shape;
  out.expected_shape = ir::as_pairs(expected).shape;
  out.expected = statistics_of(right);
  out.actual = statistics_of(found);
  if (right.size() != found.size()) return out;
  double scale = 0;
  for (const double value : right)
    if (!is_special(value)) scale = std::max(scale, std::abs(value));
  double most = -1;
  for (size_t i = 0; i < right.size(); ++i) {
    if (right[i] == found[i] || (std::isnan(right[i]) && std::isnan(found[i]))) continue;
    const double off = std::abs(right[i] - found[i]);
    const bool is_off = !(off <= noise * std::max(std::abs(right[i]), scale));
    out.differing += is_off ? 1 : 0;
    if (std::isnan(off) ? most < std::numeric_limits<double>::infinity() : off > most) {
      most = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
      out.worst = position_of(static_cast<int64_t>(i), out.shape);
      out.worst_expected = right[i];
      out.worst_actual = found[i];
    }
  }
  return out;
}

}  // namespace t2n::localise
