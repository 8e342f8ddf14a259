// SPDX-License-Identifier: Apache-2.0
// Functions of a complex number: exponentials, logarithms, roots, powers, sines.
#include <cmath>
#include <numbers>
#include <optional>

#include "src/complex/rules.h"

namespace t2n::complex {
namespace {

Complex scaled(PairBuilder& b, const Complex& x, double factor) {
  return mul(b, x, {b.number(factor, b.component())});
}
Complex one(PairBuilder& b) { return {b.number(1, b.component())}; }

ValueId angle_of(PairBuilder& b, const Complex& x) { return b.binary("aten::atan2", x.im, x.re); }

/// size * (cos(angle) + i sin(angle))
Complex from_polar(PairBuilder& b, ValueId size, ValueId angle) {
  return {mul(b, size, b.unary("aten::cos", angle)), mul(b, size, b.unary("aten::sin", angle))};
}

Complex exponential(PairBuilder& b, const Complex& x) {
  return from_polar(b, b.unary("aten::exp", x.re), x.im);
}

Complex logarithm(PairBuilder& b, const Complex& x) {
  return {b.unary("aten::log", magnitude(b, x)), angle_of(b, x)};
}

/// The root in the right half plane. Both parts come from t = sqrt((|re| + |z|) / 2), which never
/// cancels.
Complex root(PairBuilder& b, const Complex& x) {
  const ValueId zero = b.number(0, b.component()), half = b.number(0.5, b.component());
  const ValueId wide = add(b, b.unary("aten::abs", x.re), magnitude(b, x));
  const ValueId t = b.unary("aten::sqrt", mul(b, wide, half));
  const ValueId is_zero = b.binary("aten::eq.Tensor", t, zero);
  const ValueId other = div(b, mul(b, x.im, half), b.where(is_zero, b.number(1, b.component()), t));
  const ValueId is_right = b.binary("aten::ge.Tensor", x.re, zero);
  return {b.where(is_right, t, b.unary("aten::abs", other)),
          b.where(is_right, other, b.binary("aten::copysign.Tensor", t, x.im))};
}

Complex hyperbolic_sine(PairBuilder& b, const Complex& x) {
  return {mul(b, b.unary("aten::sinh", x.re), b.unary("aten::cos", x.im)),
          mul(b, b.unary("aten::cosh", x.re), b.unary("aten::sin", x.im))};
}

Complex hyperbolic_cosine(PairBuilder& b, const Complex& x) {
  return {mul(b, b.unary("aten::cosh", x.re), b.unary("aten::cos", x.im)),
          mul(b, b.unary("aten::sinh", x.re), b.unary("aten::sin", x.im))};
}

/// From tanh of the real part, which cannot overflow, and tan of the imaginary part.
Complex hyperbolic_tangent(PairBuilder& b, const Complex& x) {
  const ValueId unit = b.number(1, b.component());
  const ValueId t = b.unary("aten::tanh", x.re), u = b.unary("aten::tan", x.im);
  const ValueId tt = mul(b, t, t), uu = mul(b, u, u);
  const ValueId bottom = add(b, unit, mul(b, tt, uu));
  return {div(b, mul(b, t, add(b, unit, uu)), bottom), div(b, mul(b, u, sub(b, unit, tt)), bottom)};
}

/// i * x and x / i: sin(x) = -i sinh(i x), tan(x) = -i tanh(i x).
Complex times_i(PairBuilder& b, const Complex& x) { return {b.unary("aten::neg", x.im), x.re}; }
Complex over_i(PairBuilder& b, const Complex& x) { return {x.im, b.unary("aten::neg", x.re)}; }

/// (1 + tanh(x / 2)) / 2
Complex logistic(PairBuilder& b, const Complex& x) {
  return scaled(b, add(b, one(b), hyperbolic_tangent(b, scaled(b, x, 0.5))), 0.5);
}

/// By squaring; `n` is positive.
Complex integer_power(PairBuilder& b, Complex x, int64_t n) {
  std::optional<Complex> out;
  for (;; n /= 2, x = mul(b, x, x)) {
    if (n % 2 == 1) out = out ? mul(b, *out, x) : x;
    if (n == 1) return *out;
  }
}

/// |x|^exponent at the angle exponent * angle(x), as torch computes such exponents.
Complex real_power(PairBuilder& b, const Complex& x, ValueId exponent) {
  const ValueId size = b.binary("aten::pow.Tensor_Tensor", magnitude(b, x), exponent);
  return from_polar(b, size, mul(b, angle_of(b, x), exponent));
}

Complex power_of(PairBuilder& b, const Complex& x, double exponent) {
  constexpr double kMostSquared = 64;
  const double size = std::abs(exponent);
  if (exponent == 0.5) return root(b, x);
  if (exponent != std::floor(exponent) || size > kMostSquared)
    return real_power(b, x, b.number(exponent, b.component()));
  const Complex y = integer_power(b, x, static_cast<int64_t>(size));
  return exponent < 0 ? div(b, one(b), y) : y;
}

/// `x` as a complex number with both parts.
Complex both_parts(PairBuilder& b, const Complex& x) {
  return x.is_real() ? Complex{x.re, b.expand(b.number(0, b.component()), b.shape(x.re))} : x;
}

void pow_rule(PairBuilder& b) {
  const Complex base = both_parts(b, b.operand("self"));
  const bool is_number = b.tensor("exponent") == ir::kNoValue && !b.is_complex("exponent");
  if (is_number && b.number_of("exponent") == 0.0)
    return b.define(Complex{b.number(1, b.component())});
  if (is_number) return b.define(power_of(b, base, b.number_of("exponent").real()));
  const Complex exponent = b.operand("exponent");
  if (exponent.is_real()) return b.define(real_power(b, base, exponent.re));
  b.define(exponential(b, mul(b, exponent, logarithm(b, base))));
}

template <Complex (*Function)(PairBuilder&, const Complex&)>
void function_rule(PairBuilder& b) {
  b.define(Function(b, b.operand("self")));
}

Complex exponential_minus_one(PairBuilder& b, const Complex& x) {
  return sub(b, exponential(b, x), one(b));
}
Complex power_of_two(PairBuilder& b, const Complex& x) {
  return exponential(b, scaled(b, x, std::numbers::ln2));
}
Complex logarithm_2(PairBuilder& b, const Complex& x) {
  return scaled(b, logarithm(b, x), std::numbers::log2e);
}
Complex logarithm_10(PairBuilder& b, const Complex& x) {
  return scaled(b, logarithm(b, x), std::numbers::log10e);
}
Complex inverse_root(PairBuilder& b, const Complex& x) { return div(b, one(b), root(b, x)); }
Complex sine(PairBuilder& b, const Complex& x) {
  return over_i(b, hyperbolic_sine(b, times_i(b, x)));
}
Complex cosine(PairBuilder& b, const Complex& x) { return hyperbolic_cosine(b, times_i(b, x)); }
Complex tangent(PairBuilder& b, const Complex& x) {
  return over_i(b, hyperbolic_tangent(b, times_i(b, x)));
}
Complex gated(PairBuilder& b, const Complex& x) { return mul(b, x, logistic(b, x)); }

const PairRules& function_table() {
  static const PairRules table = {
      {"cos", function_rule<cosine>},
      {"cosh", function_rule<hyperbolic_cosine>},
      {"exp", function_rule<exponential>},
      {"exp2", function_rule<power_of_two>},
      {"expm1", function_rule<exponential_minus_one>},
      {"log", function_rule<logarithm>},
      {"log10", function_rule<logarithm_10>},
      {"log2", function_rule<logarithm_2>},
      {"pow", pow_rule},
      {"rsqrt", function_rule<inverse_root>},
      {"sigmoid", function_rule<logistic>},
      {"silu", function_rule<gated>},
      {"sin", function_rule<sine>},
      {"sinh", function_rule<hyperbolic_sine>},
      {"sqrt", function_rule<root>},
      {"tan", function_rule<tangent>},
      {"tanh", function_rule<hyperbolic_tangent>},
  };
  return table;
}

}  // namespace

PairRule find_function_rule(std::string_view name) { return rule_in(function_table(), name); }

}  // namespace t2n::complex
