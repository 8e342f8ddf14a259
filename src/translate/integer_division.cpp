// SPDX-License-Identifier: Apache-2.0
#include "src/translate/integer_division.h"

#include <algorithm>

#include "src/translate/arith.h"
#include "src/translate/barriers.h"

namespace t2n::ops {
namespace {

bool is_positive_constant(const Emitter& out, Ref x) {
  const auto value = out.constant_value(x);
  if (!value) return false;
  const std::vector<double> elements = ir::to_f64(*value);
  return std::all_of(elements.begin(), elements.end(), [](double each) { return each > 0; });
}

}  // namespace

Ref has_wrong_sign(Emitter& out, Ref remainder, Ref other) {
  const Ref zero = like(out, 0, remainder);
  const Ref is_negative = compare(out, "lt", remainder, zero);
  if (is_positive_constant(out, other)) return is_negative;
  const Ref differs = logical_xor(out, is_negative, compare(out, "lt", other, zero));
  return logical_and(out, compare(out, "ne", remainder, zero), differs);
}

Division divide_integers(Emitter& out, Ref a, Ref b, Rounding rounding) {
  a = with_region_barriers(out, "div", {a, b})[0];  // one for all that reads it below
  const Ref quotient = div(out, a, b);
  const Ref remainder = sub(out, a, mul(out, quotient, b));
  const bool is_floor = rounding == Rounding::floor;
  const Ref is_wrong = has_wrong_sign(out, remainder, is_floor ? b : a);
  const Ref step = out.cast(is_wrong, out.dtype(a));
  const Ref change = select(out, is_wrong, b, like(out, 0, b));
  if (is_floor) return {sub(out, quotient, step), add(out, remainder, change)};
  return {add(out, quotient, step), sub(out, remainder, change)};
}

}  // namespace t2n::ops
