// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, bits, choices and casts of elements.
#include <algorithm>
#include <cmath>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

/// True for NaN, as `ne` is.
Ref unequal(Builder& out, const Refs& x, const TensorType& type) {
  return logical_not(out, emit(out, "eq", x, {}, type, kAligned));
}

Refs lower_inequality(const StrictCall& call, Builder& out) {
  return {unequal(out, numbers_of(call, out, Exactness::comparable), call.result())};
}

Refs lower_comparison(const StrictCall& call, Builder& out) {
  return {emit(out, call.op, numbers_of(call, out, Exactness::comparable), {}, call.result(),
               kAligned)};
}

Ref exclusive_or(Builder& out, Ref a, Ref b) {
  return out.elementwise(
      "or", {logical_and(out, a, logical_not(out, b)), logical_and(out, logical_not(out, a), b)});
}

/// x / 2^bit, rounded down.
Ref shifted_down(Builder& out, Ref x, int bit) {
  return out.elementwise("floor", {mul(out, x, number(out, std::exp2(-bit)))});
}

/// a AND b, bit by bit. With floor, negative numbers have the bits of two's complement; `highest`
/// is the sign bit.
Ref common_bits(Builder& out, Ref a, Ref b, int highest) {
  Ref sum = number(out, 0.0);
  Ref rest_a = a, rest_b = b;
  for (int bit = 0; bit < highest; ++bit) {
    const Ref next_a = shifted_down(out, a, bit + 1), next_b = shifted_down(out, b, bit + 1);
    const Ref two = number(out, 2.0);
    const Ref bit_a = sub(out, rest_a, mul(out, next_a, two));
    const Ref bit_b = sub(out, rest_b, mul(out, next_b, two));
    sum = add(out, sum, mul(out, mul(out, bit_a, bit_b), number(out, std::exp2(bit))));
    rest_a = next_a;
    rest_b = next_b;
  }
  return add(out, sum, mul(out, mul(out, rest_a, rest_b), number(out, -std::exp2(highest))));
}

/// The number of bits of a dtype's integers that a scalar represents.
int highest_bit(DType dtype) {
  constexpr int kExact = 24;
  const bool is_unsigned = dtype == DType::u8 || dtype == DType::u16;
  const int bits = static_cast<int>(ir::dtype_size(dtype)) * 8;
  return std::min(kExact, is_unsigned ? bits : bits - 1);
}

Refs lower_bits(const StrictCall& call, Builder& out) {
  const DType dtype = out.dtype(call.operands[0]);
  const bool is_not = call.op == "tract_core_bitnot";
  const bool is_and = call.op == "tract_core_bitand", is_or = call.op == "tract_core_bitor";
  if (dtype == DType::boolean) {
    if (is_not) return {logical_not(out, call.operands[0])};
    if (is_and || is_or) return {out.elementwise(is_and ? "and" : "or", call.operands)};
    return {exclusive_or(out, call.operands[0], call.operands[1])};
  }
  const Ref a = as_number(out, call.operands[0]);
  if (is_not) return {wrapped(out, sub(out, number(out, -1.0), a), dtype)};
  const Ref b = as_number(out, call.operands[1]);
  const Ref both = common_bits(out, a, b, highest_bit(dtype));
  if (is_and) return {wrapped(out, both, dtype)};
  const Ref only_b = sub(out, b, both);  // a + b would exceed 24 bits
  return {wrapped(out, add(out, is_or ? a : sub(out, a, both), only_b), dtype)};
}

/// x * 2^n, or x / 2^n rounded down.
Refs lower_shift(const StrictCall& call, Builder& out) {
  const Refs x = numbers_of(call, out);
  const Ref power = out.elementwise("pow", {number(out, 2.0), x[1]});
  const Ref y = call.op == "tract_shl" ? mul(out, x[0], power)
                                       : out.elementwise("floor", {div(out, x[0], power)});
  return {wrapped(out, y, call.result().dtype)};
}

/// NNEF-Tools' C++ runtime reads beyond a literal if the condition does not have full size.
Ref branch(Builder& out, Ref x, const Shape& shape) {
  const auto literal = out.draft().literal(x.tensor);
  if (!literal) return x;
  const Shape ones(shape.size(), Dim(1));
  return emit(out, "constant", {}, {{"shape", ones}, {"value", nnef::array({*literal})}},
              {x.dtype, ones}, {.generic = type_name(type_of(x))});
}

Refs lower_choice(const StrictCall& call, Builder& out) {
  Refs x = call.operands;
  const TensorType& type = call.result();
  const bool is_logical = type.dtype == DType::boolean;
  const bool keeps_type =
      is_logical || (type_of(x[1]) == NumberType::integer && type_of(x[2]) == NumberType::integer);
  for (const size_t i : {1, 2}) {
    if (!keeps_type) x[i] = as_number(out, x[i], Exactness::comparable);
    if (out.shape(x[0]) != type.shape) x[i] = branch(out, x[i], type.shape);
  }
  const Ref y =
      emit(out, "select", x, {}, {keeps_type ? type.dtype : DType::f32, type.shape}, kAligned);
  return {retyped(out, y, type.dtype)};
}

Refs lower_cast(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0];
  const TensorType& type = call.result();
  const bool from_float = ir::is_float(out.dtype(x));
  if (type.dtype == DType::boolean)
    return {unequal(out, {as_number(out, x), number(out, 0.0)}, type)};
  if (!ir::is_integer(type.dtype)) return {retyped(out, as_number(out, x), type.dtype)};
  const bool is_narrow = ir::dtype_size(type.dtype) <= 2;
  if (!from_float && !is_narrow && type_of(x) == NumberType::integer)
    return {retyped(out, x, type.dtype)};
  const Ref integers = from_float ? truncated(out, as_number(out, x)) : as_number(out, x);
  return {wrapped(out, integers, type.dtype)};
}

Flows cast_flow(const FlowCall& call) {
  call.refuse_length({"input"});
  return {call.flow("input")};
}

}  // namespace

void add_logic(Book& book) {
  const Operation binary{broadcast_shape, broadcast_shape, elementwise_flow};
  book.add("lt le gt ge eq", with_strict(binary, lower_comparison));
  book.add("ne", with_strict(binary, lower_inequality));
  book.add("and or",
           {broadcast_shape, broadcast_shape, elementwise_flow, lower_logic, kBroadcasts});
  book.add("select", with_strict(binary, lower_choice));
  book.add("not", {unary_shape, unary_shape, elementwise_flow, lower_logic, kElementUnary});
  const Operation tract_binary{nullptr, broadcast_shape, elementwise_flow};
  book.add("tract_core_xor tract_core_bitand tract_core_bitor tract_core_bitxor",
           with_strict(tract_binary, lower_bits));
  book.add("tract_shl tract_shr", with_strict(tract_binary, lower_shift));
  const Operation tract_unary{nullptr, unary_shape, elementwise_flow, nullptr, kElementUnary};
  book.add("tract_core_bitnot", with_strict(tract_unary, lower_bits));
  book.add("tract_core_is_nan tract_core_is_inf", tract_unary);
  book.add("cast", {unary_shape});
  book.add("tract_core_cast", {nullptr, unary_shape, cast_flow, lower_cast});
}

}  // namespace t2n::nnef_ops
