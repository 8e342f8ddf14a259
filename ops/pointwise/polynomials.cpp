// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials of a degree known at export, by their recurrences.
#include <cmath>

#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr int64_t kMostDegree = 64;

/// The next polynomial is (a x + b) p(k) + c p(k - 1).
struct Step {
  double a, b, c;
};
using Recurrence = Step (*)(double k);

struct Polynomials {
  std::string_view name;
  Step first;  ///< p(1) = a x + b, from p(0) = 1
  Recurrence next;
  bool is_shifted = false;  ///< evaluated at 2 x - 1
};

Step chebyshev_step(double) { return {2, 0, -1}; }
Step hermite_h_step(double k) { return {2, 0, -2 * k}; }
Step hermite_he_step(double k) { return {1, 0, -k}; }
Step laguerre_step(double k) { return {-1 / (k + 1), (2 * k + 1) / (k + 1), -k / (k + 1)}; }
Step legendre_step(double k) { return {(2 * k + 1) / (k + 1), 0, -k / (k + 1)}; }

constexpr Polynomials kPolynomials[] = {
    {"aten::special_chebyshev_polynomial_t", {1, 0, 0}, chebyshev_step},
    {"aten::special_chebyshev_polynomial_u", {2, 0, 0}, chebyshev_step},
    {"aten::special_chebyshev_polynomial_v", {2, -1, 0}, chebyshev_step},
    {"aten::special_chebyshev_polynomial_w", {2, 1, 0}, chebyshev_step},
    {"aten::special_shifted_chebyshev_polynomial_t", {1, 0, 0}, chebyshev_step, true},
    {"aten::special_shifted_chebyshev_polynomial_u", {2, 0, 0}, chebyshev_step, true},
    {"aten::special_shifted_chebyshev_polynomial_v", {2, -1, 0}, chebyshev_step, true},
    {"aten::special_shifted_chebyshev_polynomial_w", {2, 1, 0}, chebyshev_step, true},
    {"aten::special_hermite_polynomial_h", {2, 0, 0}, hermite_h_step},
    {"aten::special_hermite_polynomial_he", {1, 0, 0}, hermite_he_step},
    {"aten::special_laguerre_polynomial_l", {-1, 1, 0}, laguerre_step},
    {"aten::special_legendre_polynomial_p", {1, 0, 0}, legendre_step},
};

const Polynomials& polynomials_of(std::string_view op) {
  for (const Polynomials& polynomials : kPolynomials)
    if (op == polynomials.name || op.substr(0, op.rfind('.')) == polynomials.name)
      return polynomials;
  T2N_ASSERT(false, op, " is no polynomial");
  return kPolynomials[0];
}

Ref linear_part(Emitter& out, Ref x, Step step) {
  const Ref y = step.a == 1 ? x : times(out, x, step.a);
  return step.b == 0 ? y : plus(out, y, step.b);
}

Ref evaluated(Emitter& out, const Polynomials& polynomials, Ref argument, int64_t n) {
  if (n < 0) return like(out, 0, argument);
  Ref before = like(out, 1, argument);
  if (n == 0) return before;
  const Ref x = polynomials.is_shifted ? plus(out, times(out, argument, 2), -1) : argument;
  Ref p = linear_part(out, x, polynomials.first);
  for (int64_t k = 1; k < n; ++k) {
    const Step step = polynomials.next(static_cast<double>(k));
    const Ref next = add(out, mul(out, linear_part(out, x, step), p), times(out, before, step.c));
    before = p;
    p = next;
  }
  return p;
}

int64_t degree(const OpView& op) {
  double n = 0;
  if (op.is_tensor("n")) {
    const ir::Tensor value = op.constant("n");
    if (value.elements() != 1) op.refuse("n", Limit::several_numbers, "pass a number");
    n = ir::element_f64(value, 0);
  } else {
    n = op.f64("n");
  }
  if (n > static_cast<double>(kMostDegree))
    op.refuse("n", Limit::too_many_steps, cat("use degrees up to ", kMostDegree));
  return static_cast<int64_t>(n);
}

void polynomial_of(const OpView& op, Emitter& out) {
  const int64_t n = degree(op);
  const DType dtype = op.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Ref x = operand(op, out, "x", dtype);
  finish(op, out, evaluated(out, polynomials_of(op.op()), x, n));
}

}  // namespace

void register_polynomials(Registry& r) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Polynomials& polynomials : kPolynomials)
      for (const char* overload : {"", ".n_scalar", ".x_scalar"})
        all.push_back(cat(polynomials.name, overload));
    return all;
  }();
  r.elementwise({names.begin(), names.end()},
                {"mul", "orthogonal polynomial of degree n", polynomial_of, Promotion::to_float,
                 "degrees that the model computes, or above 64"});
}

}  // namespace t2n::ops
