// SPDX-License-Identifier: Apache-2.0
// Arithmetic on elements: functions of one tensor, and operators whose operands broadcast.
#include <cmath>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

/// A 16-bit product is computed in two parts, which scalars represent exactly.
Refs lower_product(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  const Refs x = numbers_of(call, out);
  if (!ir::is_integer(type.dtype) || ir::dtype_size(type.dtype) != 2) {
    const Ref y = emit(out, "mul", x, {}, {DType::f32, type.shape}, kAligned);
    return {wrapped(out, y, type.dtype)};
  }
  const Ref byte = number(out, 256.0);
  const Ref high = out.elementwise("floor", {div(out, x[1], byte)});
  const Ref low = sub(out, x[1], mul(out, high, byte));
  const Ref upper = as_number(out, wrapped(out, mul(out, x[0], high), DType::u8));
  return {wrapped(out, add(out, mul(out, upper, byte), mul(out, x[0], low)), type.dtype)};
}

/// a / b; integers are truncated, as in tract.
Refs lower_quotient(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref y = emit(out, "div", numbers_of(call, out), {}, {DType::f32, type.shape}, kAligned);
  return {wrapped(out, ir::is_integer(type.dtype) ? truncated(out, y) : y, type.dtype)};
}

// The specification has `rcp`, `rsqrt` and `ne`; NNEF-Tools' converter to ONNX lacks them.

Refs lower_reciprocal(const StrictCall& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  return {retyped(out, div(out, number(out, 1.0), x), call.result().dtype)};
}

Refs lower_reciprocal_root(const StrictCall& call, Builder& out) {
  const Ref root = out.elementwise("sqrt", {as_number(out, call.operands[0])});
  return {retyped(out, div(out, number(out, 1.0), root), call.result().dtype)};
}

/// Half away from zero, by floor: the specification's own floor(x + 0.5) is wrong below 0.5.
Refs lower_round_away(const StrictCall& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  const Ref magnitude = out.elementwise("abs", {x});
  const Ref floor = out.elementwise("floor", {magnitude});
  const Ref is_up = compare(out, "ge", sub(out, magnitude, floor), number(out, 0.5));
  const Ref near = select(out, is_up, add(out, floor, number(out, 1.0)), floor);
  return {wrapped(out, mul(out, out.elementwise("sign", {x}), near), call.result().dtype)};
}

/// Half to even; integers and infinities are unchanged.
Refs lower_round_even(const StrictCall& call, Builder& out) {
  constexpr double kIntegral = 8388608;  // 2^23: larger floats are integers
  const Ref x = as_number(out, call.operands[0]);
  const Ref floor = out.elementwise("floor", {x});
  const Ref fraction = sub(out, x, floor);
  const Ref half = number(out, 0.5);
  const Ref pairs = out.elementwise("floor", {mul(out, floor, half)});
  const Ref odd = sub(out, floor, mul(out, pairs, number(out, 2.0)));
  const Ref up = add(out, floor, number(out, 1.0));
  const Ref tie = select(out, compare(out, "gt", fraction, half), up, add(out, floor, odd));
  const Ref near = select(out, compare(out, "lt", fraction, half), floor, tie);
  const Ref is_small = compare(out, "lt", out.elementwise("abs", {x}), number(out, kIntegral));
  return {wrapped(out, select(out, is_small, near, x), call.result().dtype)};
}

/// A polynomial in x, given by its coefficients, the constant one first.
Ref polynomial(Builder& out, Ref x, std::initializer_list<double> terms) {
  Ref sum = number(out, *(terms.end() - 1));
  for (auto term = terms.end() - 1; term-- != terms.begin();)
    sum = add(out, mul(out, sum, x), number(out, *term));
  return sum;
}

/// The Taylor series near 0, where a relative error matters, and Abramowitz and Stegun 7.1.26
/// elsewhere, with an error of 1.5e-7.
Refs lower_erf(const StrictCall& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  const Ref square = mul(out, x, x);
  const Ref near = mul(out, x,
                       polynomial(out, square,
                                  {1.1283791670955126, -0.3761263890318375, 0.11283791670955126,
                                   -0.026866170645131252, 0.005223977625442188}));
  const Ref magnitude = out.elementwise("abs", {x});
  const Ref t = out.elementwise(
      "recip", {add(out, mul(out, magnitude, number(out, 0.3275911)), number(out, 1.0))});
  const Ref tail =
      polynomial(out, t, {0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429});
  const Ref complement = mul(out, mul(out, t, tail), out.elementwise("exp", {neg(out, square)}));
  const Ref far = mul(out, out.elementwise("sign", {x}), sub(out, number(out, 1.0), complement));
  const Ref is_near = compare(out, "lt", magnitude, number(out, 0.3));
  return {retyped(out, select(out, is_near, near, far), call.result().dtype)};
}

Refs lower_hard_swish(const StrictCall& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  const Ref shifted = add(out, x, number(out, 3.0));
  const Ref clamped = minimum(out, maximum(out, shifted, number(out, 0.0)), number(out, 6.0));
  return {retyped(out, mul(out, x, div(out, clamped, number(out, 6.0))), call.result().dtype)};
}

}  // namespace

void add_arithmetic(Book& book) {
  const Operation unary{unary_shape, unary_shape, elementwise_flow, nullptr, kElementUnary};
  book.add(
      "neg exp log sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh abs sign "
      "floor ceil sqr sqrt rsqr log2 sigmoid softplus leaky_relu elu",
      unary);
  book.add("relu",
           {unary_shape, unary_shape, elementwise_flow, nullptr, kElementUnary | kMovesData});
  book.add("rsqrt", with_strict(unary, lower_reciprocal_root));
  book.add("round", with_strict(unary, lower_round_away));
  book.add("gelu selu", {unary_shape});
  book.add("rcp silu", {unary_shape, nullptr, elementwise_flow});
  const Operation tract_unary{nullptr, unary_shape, elementwise_flow, nullptr, kElementUnary};
  book.add(
      "square tract_core_silu tract_core_gelu_approx tract_core_pow_const "
      "tract_transformers_silu tract_transformers_gelu_approx",
      tract_unary);
  book.add("recip", with_strict(tract_unary, lower_reciprocal));
  book.add("tract_core_round_even", with_strict(tract_unary, lower_round_even));
  book.add("t2n_round_even", {nullptr, nullptr, nullptr, lower_round_even});  // a fragment
  book.add("tract_core_erf", with_strict(tract_unary, lower_erf));
  book.add("tract_core_hard_swish", with_strict(tract_unary, lower_hard_swish));
  book.add("softabs", {nullptr, unary_shape});
  book.add("prelu", {over_first_shape, broadcast_shape});
  const Operation binary{broadcast_shape, broadcast_shape, elementwise_flow};
  book.add("clamp", binary);
  book.add("add sub pow min max",
           {broadcast_shape, broadcast_shape, elementwise_flow, nullptr, kBroadcasts});
  book.add("mul", with_strict(binary, lower_product));
  book.add("div", with_strict(binary, lower_quotient));
}

}  // namespace t2n::nnef_ops
