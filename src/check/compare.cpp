// SPDX-License-Identifier: Apache-2.0
// Compares two tensors element by element, in blocks: no conversion of the entire tensors to f64.
#include "src/check/compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/cast.h"
#include "src/check/quanta.h"
#include "src/check/ulps.h"
#include "src/diag/error.h"

namespace t2n::check {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Pair {
  double expected;
  double actual;
  bool same;  ///< equal: also NaN and NaN, and infinities of one sign
};

/// Absolute difference; infinite if only one side is NaN or infinite.
double difference(const Pair& pair) {
  if (pair.same) return 0;
  const double delta = std::abs(pair.expected - pair.actual);
  if (!std::isfinite(delta)) return kInfinity;
  return delta > 0 ? delta : 1;  // integers beyond 2^53, which doubles do not distinguish
}

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Calls `visit` with each pair in row-major order. Both tensors have one dtype and one shape.
template <typename Visit>
void for_each_pair(const ir::Tensor& expected, const ir::Tensor& actual, Visit visit) {
  const ir::Tensor a = ir::contiguous(expected);
  const ir::Tensor b = ir::contiguous(actual);
  const size_t count = a.elements();
  const size_t size = ir::dtype_size(a.dtype);
  const bool bitwise = ir::is_integer(a.dtype);
  constexpr size_t kBlock = 4096;
  std::vector<double> left(std::min(kBlock, count));
  std::vector<double> right(left.size());
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    const auto a_bytes = a.bytes.subspan(start * size, length * size);
    const auto b_bytes = b.bytes.subspan(start * size, length * size);
    ir::cast_elements(a.dtype, a_bytes, ir::DType::f64,
                      std::as_writable_bytes(std::span(left).first(length)));
    ir::cast_elements(b.dtype, b_bytes, ir::DType::f64,
                      std::as_writable_bytes(std::span(right).first(length)));
    for (size_t i = 0; i < length; ++i) {
      const bool same =
          bitwise ? std::memcmp(a_bytes.data() + i * size, b_bytes.data() + i * size, size) == 0
                  : equal(left[i], right[i]);
      visit(Pair{left[i], right[i], same});
    }
  }
}

/// The number of neighbouring elements that share a scale: those of the last axis, of an image's
/// channel, or of enough axes for more than a few elements.
int64_t group_size(const ir::Ints& shape) {
  constexpr int64_t kLeast = 8;
  constexpr size_t kImage = 4;  // [batch, channel, height, width]
  int64_t size = 1;
  size_t axis = shape.size();
  const size_t always = shape.size() >= kImage ? shape.size() - 2 : 1;
  while (axis > 0 && (size < kLeast || shape.size() - axis < always)) size *= shape[--axis];
  return std::max<int64_t>(size, 1);
}

/// The margins for one output: the absolute tolerance shrinks with outputs smaller than one, but
/// not below the rounding of the largest elements.
class Scaled {
 public:
  Scaled(const Margins& margins, const ir::Tensor& reference) : margins_(margins) {
    if (margins.absolute <= 0) return;
    group_ = group_size(reference.shape);
    double largest_of_all = 0;
    int64_t index = 0;
    for_each_pair(reference, reference, [&](const Pair& pair) {
      if (index++ % group_ == 0) largest_.push_back(0);
      if (!std::isfinite(pair.expected)) return;
      largest_.back() = std::max(largest_.back(), std::abs(pair.expected));
      largest_of_all = std::max(largest_of_all, std::abs(pair.expected));
    });
    constexpr double kLeastShare = 1e-3;
    for (double& largest : largest_)
      largest = std::min(1.0, std::max(largest, kLeastShare * std::min(1.0, largest_of_all)));
  }

  double absolute(int64_t index) const {
    return largest_.empty() ? 0 : margins_.absolute * largest_[index / group_];
  }
  double allowed(int64_t index, double expected) const {
    return std::isfinite(expected) ? absolute(index) + margins_.relative * std::abs(expected) : 0;
  }

 private:
  Margins margins_;
  int64_t group_ = 1;
  std::vector<double> largest_;  ///< by group
};

/// The difference in units of the tolerance; infinite if the tolerance is zero.
double excess(double delta, double allowed) {
  if (delta == 0) return 0;
  return allowed > 0 ? delta / allowed : kInfinity;
}

ir::Ints unravel(int64_t index, const ir::Ints& shape) {
  ir::Ints out(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = index % shape[i];
    index /= shape[i];
  }
  return out;
}

/// Collects the numbers of a Deviation, pair by pair.
class Tally {
 public:
  Tally(const Scaled& scaled, Deviation& result)
      : scaled_(scaled), result_(result), ulps_(result.dtype) {}

  void add(const Pair& pair) {
    const double delta = difference(pair);
    ulps_.add(pair.expected, pair.actual);
    const double allowed = scaled_.allowed(index_, pair.expected);
    const double over = excess(delta, allowed);
    if (over > 1) ++result_.outliers;
    if (delta == kInfinity) ++result_.not_finite;
    if (std::isfinite(pair.expected))
      signal_ += pair.expected * pair.expected;
    else
      ++result_.expected_not_finite;
    noise_ += delta * delta;
    result_.max_abs = std::max(result_.max_abs, delta);
    const double size = std::abs(pair.expected);
    if (delta > 0 && size > scaled_.absolute(index_))
      result_.max_rel = std::max(result_.max_rel, std::isinf(delta) ? delta : delta / size);
    if (over > worst_ || (over == worst_ && delta > worst_delta_)) keep(pair, over, delta, allowed);
    ++index_;
  }

  /// Index of the worst element in row-major order.
  int64_t worst_index() const { return worst_index_; }
  double worst_excess() const { return std::max(worst_, 0.0); }
  double ulp_p99() const { return ulps_.p99(); }
  double snr_db() const { return noise_ > 0 ? 10 * std::log10(signal_ / noise_) : kInfinity; }

 private:
  void keep(const Pair& pair, double over, double delta, double allowed) {
    worst_ = over;
    worst_delta_ = delta;
    worst_index_ = index_;
    result_.expected = pair.expected;
    result_.actual = pair.actual;
    result_.allowed = allowed;
  }

  const Scaled& scaled_;
  Deviation& result_;
  UlpCounts ulps_;
  double signal_ = 0;
  double noise_ = 0;
  int64_t index_ = 0;
  int64_t worst_index_ = 0;
  double worst_ = -1;
  double worst_delta_ = 0;
};

/// The shortest text that parses to the same value of the dtype.
std::string shortest_text(double value, ir::DType dtype) {
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  const bool wide = dtype == ir::DType::f64;
  const auto result = ir::is_float(dtype) && !wide
                          ? std::to_chars(text.data(), end, static_cast<float>(value))
                          : std::to_chars(text.data(), end, value);
  return std::string(text.data(), result.ptr);
}

std::string mismatch_of(const ir::Tensor& expected, const ir::Tensor& actual) {
  if (expected.dtype != actual.dtype)
    return cat("dtype ", ir::dtype_name(actual.dtype), ", expected ",
               ir::dtype_name(expected.dtype));
  if (expected.shape != actual.shape)
    return cat("shape ", ir::shape_str(ir::to_shape(actual.shape)), ", expected ",
               ir::shape_str(ir::to_shape(expected.shape)));
  return "";
}

}  // namespace

Deviation compare(const ir::Tensor& expected, const ir::Tensor& actual,
                  const Tolerance& tolerance) {
  const ir::Tensor reference = ir::as_pairs(expected);
  const ir::Tensor result = ir::as_pairs(actual);
  Deviation comparison;
  comparison.dtype = reference.dtype;
  comparison.shape = reference.shape;
  comparison.mismatch = mismatch_of(reference, result);
  if (!comparison.mismatch.empty()) {
    comparison.verdict = Verdict::differs;
    return comparison;
  }
  const Margins margins = margins_for(tolerance, reference.dtype);
  const Scaled scaled(margins, reference);
  Tally tally(scaled, comparison);
  for_each_pair(reference, result, [&](const Pair& pair) { tally.add(pair); });
  comparison.snr_db = tally.snr_db();
  comparison.ulp_p99 = tally.ulp_p99();
  comparison.excess = tally.worst_excess();
  if (reference.elements() > 0) comparison.worst = unravel(tally.worst_index(), reference.shape);
  const double tolerated = margins.outliers * static_cast<double>(reference.elements());
  if (comparison.not_finite > 0 || static_cast<double>(comparison.outliers) > tolerated)
    comparison.verdict = Verdict::differs;
  return comparison;
}

Quanta count_quanta(const ir::Tensor& expected, const ir::Tensor& actual, double step) {
  Quanta out{.step = step};
  if (!mismatch_of(expected, actual).empty()) return out;
  for_each_pair(expected, actual, [&](const Pair& pair) {
    const double steps = difference(pair) / step;
    ++out.elements;
    out.most = std::max(out.most, steps);
    const double count = std::nearbyint(steps);
    if (!is_integer_valued(steps) && std::isfinite(steps))
      ++out.between;
    else if (count > 0)
      ++(count == 1 ? out.off_by_one : out.off_by_more);
  });
  return out;
}

Quanta combined(const Quanta& a, const Quanta& b) {
  return {b.step,
          std::max(a.most, b.most),
          a.elements + b.elements,
          a.off_by_one + b.off_by_one,
          a.off_by_more + b.off_by_more,
          a.between + b.between,
          a.at_ties + b.at_ties,
          a.of_an_engine + b.of_an_engine};
}

std::vector<double> allowances(const ir::Tensor& expected, const Tolerance& tolerance) {
  const ir::Tensor plain = ir::as_pairs(expected);
  const Scaled scaled(margins_for(tolerance, plain.dtype), plain);
  std::vector<double> out = ir::to_f64(plain);
  for (size_t i = 0; i < out.size(); ++i) out[i] = scaled.allowed(static_cast<int64_t>(i), out[i]);
  return out;
}

std::vector<double> excesses(const ir::Tensor& expected, const ir::Tensor& actual,
                             const Tolerance& tolerance) {
  const ir::Tensor a = ir::as_pairs(expected);
  const ir::Tensor b = ir::as_pairs(actual);
  if (!mismatch_of(a, b).empty()) return {};
  const Scaled scaled(margins_for(tolerance, a.dtype), a);
  std::vector<double> out;
  out.reserve(a.elements());
  for_each_pair(a, b, [&](const Pair& pair) {
    const auto index = static_cast<int64_t>(out.size());
    out.push_back(excess(difference(pair), scaled.allowed(index, pair.expected)));
  });
  return out;
}

std::string mismatch_text(std::string_view output, const Deviation& comparison) {
  if (!comparison.mismatch.empty()) return cat(quoted(output), ": ", comparison.mismatch);
  std::string index = ir::shape_str(ir::to_shape(comparison.worst));
  if (index == "[]") index.clear();
  const double delta = difference({comparison.expected, comparison.actual, false});
  const auto text = [&](double value) { return shortest_text(value, comparison.dtype); };
  return cat(quoted(output), index, ": expected ", text(comparison.expected), ", got ",
             text(comparison.actual), " (off by ", delta, ", allowed ", comparison.allowed, ")");
}

}  // namespace t2n::check
