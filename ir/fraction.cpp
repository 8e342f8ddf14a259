// SPDX-License-Identifier: Apache-2.0
#include "ir/fraction.h"

#include <cmath>
#include <utility>

namespace t2n::ir {
namespace {

__extension__ using Wide = __int128;

/// The first continued-fraction convergent that rounds to the number.
std::optional<std::pair<int64_t, int64_t>> nearest_parts(double number, int bits) {
  const double tolerance = std::ldexp(number, -bits);
  int64_t p = 1, q = 0, before_p = 0, before_q = 1;
  for (double rest = number;;) {
    const double floor = std::floor(rest);
    if (floor > static_cast<double>(kLargestFractionPart)) return std::nullopt;
    const auto part = static_cast<int64_t>(floor);
    std::swap(p, before_p);
    std::swap(q, before_q);
    p += part * before_p;
    q += part * before_q;
    if (p > kLargestFractionPart || q > kLargestFractionPart) return std::nullopt;
    if (std::abs(static_cast<double>(p) / static_cast<double>(q) - number) <= tolerance) break;
    if (rest == floor) return std::nullopt;
    rest = 1 / (rest - floor);
  }
  return std::pair{p, q};
}

}  // namespace

/// Let the float be p/q * (1 + e), and n * p/q be a float. The product is n * p/q * (1 + e),
/// rounded once. If |e| is at most half of the distance 2^-bits of floats just above a power of
/// two, the nearest float is n * p/q itself.
std::optional<Fraction> simplest_fraction(double number, int bits) {
  constexpr int kDigits = 53, kLeast = -20, kMost = 20;
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  if (!(number > 0) || exponent < kLeast || exponent > kMost) return std::nullopt;
  const auto parts = nearest_parts(number, bits);
  if (!parts) return std::nullopt;
  const auto [p, q] = *parts;
  // number = digits / 2^shift, exactly
  const auto digits = static_cast<int64_t>(std::ldexp(mantissa, kDigits));
  const Wide exact = static_cast<Wide>(p) << (kDigits - exponent);
  const Wide error = static_cast<Wide>(digits) * q - exact;
  const Wide scaled_error = (error < 0 ? -error : error) << (bits + 1);
  return Fraction{p, q, scaled_error <= exact ? 0 : error > 0 ? 1 : -1};
}

}  // namespace t2n::ir
