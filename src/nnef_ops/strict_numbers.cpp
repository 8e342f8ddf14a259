// Arithmetic, comparisons, logic, casts and reductions in strict NNEF.
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::strict {
namespace {

const Form kAligned{.is_aligned = true};

std::vector<Ref> numbers_of(const Call& call, Builder& out,
                            Exactness exactness = Exactness::computable) {
  std::vector<Ref> numbers;
  for (const Ref x : call.operands) numbers.push_back(as_number(out, x, exactness));
  return numbers;
}

/// A 16-bit product is computed in two parts, which scalars represent exactly.
std::vector<Ref> product(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  const std::vector<Ref> x = numbers_of(call, out);
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
std::vector<Ref> quotient(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref y = emit(out, "div", numbers_of(call, out), {}, {DType::f32, type.shape}, kAligned);
  return {wrapped(out, ir::is_integer(type.dtype) ? truncated(out, y) : y, type.dtype)};
}

// The specification has `rcp`, `rsqrt` and `ne`; NNEF-Tools' converter to ONNX lacks them.

std::vector<Ref> reciprocal(const Call& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  return {retyped(out, div(out, number(out, 1.0), x), call.result().dtype)};
}

std::vector<Ref> reciprocal_root(const Call& call, Builder& out) {
  const Ref root = out.elementwise("sqrt", {as_number(out, call.operands[0])});
  return {retyped(out, div(out, number(out, 1.0), root), call.result().dtype)};
}

/// True for NaN, as `ne` is.
Ref unequal(Builder& out, const std::vector<Ref>& x, const TensorType& type) {
  return logical_not(out, emit(out, "eq", x, {}, type, kAligned));
}

std::vector<Ref> inequality(const Call& call, Builder& out) {
  return {unequal(out, numbers_of(call, out, Exactness::comparable), call.result())};
}

std::vector<Ref> comparison(const Call& call, Builder& out) {
  return {emit(out, call.op, numbers_of(call, out, Exactness::comparable), {}, call.result(),
               kAligned)};
}

/// For booleans.
std::vector<Ref> logic(const Call& call, Builder& out) {
  return {emit(out, call.op, call.operands, call.attributes, call.result(),
               {.is_aligned = call.form.is_aligned})};
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

std::vector<Ref> bits(const Call& call, Builder& out) {
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
std::vector<Ref> shift(const Call& call, Builder& out) {
  const std::vector<Ref> x = numbers_of(call, out);
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

std::vector<Ref> choice(const Call& call, Builder& out) {
  std::vector<Ref> x = call.operands;
  const TensorType& type = call.result();
  const bool is_logical = type.dtype == DType::boolean;
  const bool keeps_type =
      is_logical || (type_of(x[1]) == Type::integer && type_of(x[2]) == Type::integer);
  for (const size_t i : {1, 2}) {
    if (!keeps_type) x[i] = as_number(out, x[i], Exactness::comparable);
    if (out.shape(x[0]) != type.shape) x[i] = branch(out, x[i], type.shape);
  }
  const Ref y =
      emit(out, "select", x, {}, {keeps_type ? type.dtype : DType::f32, type.shape}, kAligned);
  return {retyped(out, y, type.dtype)};
}

std::vector<Ref> cast(const Call& call, Builder& out) {
  const Ref x = call.operands[0];
  const TensorType& type = call.result();
  const bool from_float = ir::is_float(out.dtype(x));
  if (type.dtype == DType::boolean)
    return {unequal(out, {as_number(out, x), number(out, 0.0)}, type)};
  if (!ir::is_integer(type.dtype)) return {retyped(out, as_number(out, x), type.dtype)};
  const bool is_narrow = ir::dtype_size(type.dtype) <= 2;
  if (!from_float && !is_narrow && type_of(x) == Type::integer)
    return {retyped(out, x, type.dtype)};
  const Ref integers = from_float ? truncated(out, as_number(out, x)) : as_number(out, x);
  return {wrapped(out, integers, type.dtype)};
}

/// Half away from zero, by floor: the specification's own floor(x + 0.5) is wrong below 0.5.
std::vector<Ref> round_away(const Call& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  const Ref magnitude = out.elementwise("abs", {x});
  const Ref floor = out.elementwise("floor", {magnitude});
  const Ref is_up = compare(out, "ge", sub(out, magnitude, floor), number(out, 0.5));
  const Ref near = select(out, is_up, add(out, floor, number(out, 1.0)), floor);
  return {wrapped(out, mul(out, out.elementwise("sign", {x}), near), call.result().dtype)};
}

/// Half to even; integers and infinities are unchanged.
std::vector<Ref> round_even(const Call& call, Builder& out) {
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
std::vector<Ref> erf(const Call& call, Builder& out) {
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

std::vector<Ref> hard_swish(const Call& call, Builder& out) {
  const Ref x = as_number(out, call.operands[0]);
  const Ref shifted = add(out, x, number(out, 3.0));
  const Ref clamped = minimum(out, maximum(out, shifted, number(out, 0.0)), number(out, 6.0));
  return {retyped(out, mul(out, x, div(out, clamped, number(out, 6.0))), call.result().dtype)};
}

std::vector<Ref> index_of_extremum(const Call& call, Builder& out) {
  return {emit(out, call.op, numbers_of(call, out), call.attributes, call.result())};
}

/// Multiplies halves until one element remains.
std::vector<Ref> product_reduce(const Call& call, Builder& out) {
  Ref x = as_number(out, call.operands[0]);
  for (const int64_t each : call.ints("axes")) {
    const int axis = static_cast<int>(each);
    for (int64_t n = extent(out, x, axis); n > 1; n = extent(out, x, axis)) {
      const int64_t half = n / 2;
      const Ref pairs = mul(out, out.slice(x, axis, 0, half), out.slice(x, axis, half, 2 * half));
      x = n % 2 == 0 ? pairs : out.concat({pairs, out.slice(x, axis, n - 1, n)}, axis);
    }
  }
  return {wrapped(out, x, call.result().dtype)};
}

/// An operand of tract that is an attribute in the specification.
Attributes with_number(const Call& call, Builder& out, const char* name, size_t operand) {
  Attributes attributes = call.attributes;
  if (operand >= call.operands.size()) return attributes;
  const auto value = out.constant_value(call.operands[operand]);
  T2N_ASSERT(value && value->elements() == 1, call.op, ": ", name, " is computed");
  attributes.emplace_back(name,
                          static_cast<double>(static_cast<float>(ir::element_f64(*value, 0))));
  return attributes;
}

/// For one number per channel; converters support the operation for images only.
std::vector<Ref> row_normalization(const Call& call, Builder& out, const std::vector<Ref>& x) {
  const Ref deviation = out.elementwise("sqrt", {add(out, x[2], x[5])});
  const Ref y = add(out, mul(out, sub(out, x[0], x[1]), div(out, x[4], deviation)), x[3]);
  return {retyped(out, y, call.result().dtype)};
}

std::vector<Ref> batch_normalization(const Call& call, Builder& out) {
  constexpr size_t kEpsilon = 5;
  std::vector<Ref> x = numbers_of(call, out);
  if (call.result().shape.size() == 2 && x.size() > kEpsilon)
    return row_normalization(call, out, x);
  const Attributes attributes = with_number(call, out, "epsilon", kEpsilon);
  x.resize(kEpsilon);
  const TensorType& type = call.result();
  for (size_t i = 1; i < x.size(); ++i)  // parameters are tensors [1, C]
    x[i] = out.broadcast_to(x[i], {Dim(1), type.shape.at(1)});
  for (Ref& each : x) each.tensor = out.draft().identifier(each.tensor);
  return {retyped(out, emit(out, call.op, x, attributes, {DType::f32, type.shape}), type.dtype)};
}

}  // namespace

std::vector<RuleRow> number_rules() {
  return {{"mul", product},
          {"div", quotient},
          {"recip", reciprocal},
          {"rsqrt", reciprocal_root},
          {"lt", comparison},
          {"le", comparison},
          {"gt", comparison},
          {"ge", comparison},
          {"eq", comparison},
          {"ne", inequality},
          {"and", logic},
          {"or", logic},
          {"not", logic},
          {"any_reduce", logic},
          {"all_reduce", logic},
          {"tract_core_xor", bits},
          {"tract_core_bitand", bits},
          {"tract_core_bitor", bits},
          {"tract_core_bitxor", bits},
          {"tract_core_bitnot", bits},
          {"tract_shl", shift},
          {"tract_shr", shift},
          {"select", choice},
          {"tract_core_cast", cast},
          {"round", round_away},
          {"t2n_round_even", round_even},
          {"tract_core_round_even", round_even},
          {"tract_core_erf", erf},
          {"argmax_reduce", index_of_extremum},
          {"argmin_reduce", index_of_extremum},
          {"tract_core_product_reduce", product_reduce},
          {"tract_core_hard_swish", hard_swish},
          {"batch_normalization", batch_normalization}};
}

}  // namespace t2n::strict
