// SPDX-License-Identifier: Apache-2.0
#include "src/translate/quotient.h"

#include <algorithm>
#include <cmath>

#include "src/translate/arith.h"
#include "src/translate/readers.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Whether each element is a power of two, by which division is exact.
bool are_powers_of_two(const ir::Tensor& tensor) {
  const std::vector<double> values = ir::to_f64(tensor);
  return std::all_of(values.begin(), values.end(), [](double value) {
    int exponent = 0;
    return std::abs(std::frexp(value, &exponent)) == 0.5;
  });
}

/// Whether the engine's own quotient is correctly rounded.
bool divides_exactly(Emitter& out, Ref a, Ref b) {
  if (!out.has(target::Feature::computes_f64) || !ir::is_float(out.dtype(a))) return true;
  const auto known = out.constant_value(b);
  return known && are_powers_of_two(*known);
}

/// Corrects the engine's quotient by its remainder, which is NaN for infinities and zeros.
Ref corrected_quotient(Emitter& out, Ref a, Ref b) {
  const Ref first = div(out, a, b);
  const Ref product = mul(out, first, b);
  const Ref remainder = sub(out, sub(out, a, product), error_of_product(out, first, b, product));
  return select(out, compare(out, "eq", remainder, remainder),
                add(out, first, div(out, remainder, b)), first);
}

}  // namespace

Ref error_of_product(Emitter& out, Ref a, Ref b, Ref product) {
  // 2^27 + 1 for the 53 bits of f64, 2^12 + 1 for the 24 of f32, the only type in strict NNEF.
  const bool is_double = out.dtype(a) == DType::f64 && out.has(target::Feature::computes_f64);
  const double split = is_double ? 134217729 : 4097;
  const auto high = [&](Ref x) {
    const Ref wide = mul(out, x, like(out, split, x));
    return sub(out, wide, sub(out, wide, x));
  };
  const Ref a_high = high(a), b_high = high(b);
  const Ref a_low = sub(out, a, a_high), b_low = sub(out, b, b_high);
  const Ref first = sub(out, mul(out, a_high, b_high), product);
  const Ref second = add(out, first, mul(out, a_high, b_low));
  return add(out, add(out, second, mul(out, a_low, b_high)), mul(out, a_low, b_low));
}

/// For narrower floats, the rounded f64 quotient is correctly rounded: but for one of 2^28, also if
/// it is off by a unit in the last place of f64.
Ref exact_quotient(Emitter& out, Ref a, Ref b) {
  if (divides_exactly(out, a, b)) return div(out, a, b);
  const DType dtype = out.dtype(a);
  if (dtype == DType::f64)
    return is_narrowed_quotient(out.state()) ? div(out, a, b) : corrected_quotient(out, a, b);
  return out.cast(div(out, out.cast(a, DType::f64), out.cast(b, DType::f64)), dtype);
}

Ref quotient(const OpView& op, Emitter& out, Ref a, Ref b) {
  const bool is_plain = divides_exactly(out, a, b) || !op.is_rounded_later();
  return is_plain ? div(out, a, b) : exact_quotient(out, a, b);
}

bool needs_exact_quotients(const OpView& op, const Emitter& out) {
  return out.has(target::Feature::computes_f64) && op.is_rounded_later();
}

Ref mean(const OpView& op, Emitter& out, Ref x, const Ints& axes) {
  if (!needs_exact_quotients(op, out)) return reduce(out, "mean_reduce", x, axes);
  Dim count = 1;
  for (const int64_t axis : axes) count = count * size_of(out, x, axis);
  const Ref sum = reduce(out, "sum_reduce", widened(out, x), axes);
  return out.cast(exact_quotient(out, sum, out.size(count, out.dtype(sum))), out.dtype(x));
}

}  // namespace t2n::ops
