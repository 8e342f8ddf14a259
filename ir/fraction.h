// SPDX-License-Identifier: Apache-2.0
// Floats as fractions of small integers.
#pragma once

#include <cstdint>
#include <optional>

namespace t2n::ir {

/// The fraction `number` / `divisor`, which rounds to a float.
///
/// A product of a size n with the float is rounded once. Let n * number / divisor be exactly a
/// float, for example an integer. With a skew of 0 the product is that float for all n; with 1 it
/// may be the next float above, with -1 the next below. Otherwise it differs from the exact
/// quotient by two roundings at most.
struct Fraction {
  int64_t number = 0;
  int64_t divisor = 1;
  int skew = 0;
};

/// The fraction with the least divisor that rounds to a positive float with a mantissa of `bits`;
/// nothing if its parts exceed kLargestFractionPart.
std::optional<Fraction> simplest_fraction(double number, int bits);

constexpr int64_t kLargestFractionPart = 1 << 20;

}  // namespace t2n::ir
