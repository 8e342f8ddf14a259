// SPDX-License-Identifier: Apache-2.0
#include "src/translate/arith.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ir/half.h"
#include "src/diag/error.h"
#include "src/translate/nan.h"
#include "src/translate/packed.h"
#include "src/translate/readers.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

bool is_unsigned(DType dtype) {
  return dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}

/// Whether `b` is the number `value`, which does not change `a`. tract drops such an operation, and
/// may fail on the two equal tensors that it then finds ("eval() called on a Dummy op").
bool is_neutral(const Emitter& out, Ref a, Ref b, double value) {
  if (!out.has(target::Feature::folds_repeats) || out.dtype(a) == DType::boolean) return false;
  if (out.broadcast(out.shape(a), out.shape(b)) != out.shape(a)) return false;
  const auto known = out.constant_value(b);
  return known && known->elements() == 1 && ir::element_f64(*known, 0) == value;
}

/// tract divides by multiplying with the reciprocal, which f16 rounds to 11 bits, or fewer; torch
/// divides halves in f32. Powers of two, 0 and infinity are exact.
bool has_coarse_reciprocal(const Emitter& out, Ref x) {
  if (out.dtype(x) != DType::f16) return false;
  const auto known = out.constant_value(x);
  if (!known) return true;
  const std::vector<double> values = ir::to_f64(*known);
  return std::any_of(values.begin(), values.end(), [](double each) {
    int exponent = 0;
    const bool is_power_of_two = std::abs(std::frexp(1 / each, &exponent)) == 0.5;
    return !is_power_of_two || !ir::is_normal_in_f16(1 / each);
  });
}

/// The signs and magnitudes of a constant that contains -0.0; std::nullopt for any other. tract
/// confuses it with a constant that has 0.0 instead.
std::optional<std::pair<Ref, Ref>> sign_and_magnitude(Emitter& out, Ref x) {
  const auto known = out.constant_value(x);
  if (!known || !ir::is_float(known->dtype)) return {};
  std::vector<double> signs, sizes = ir::to_f64(*known);
  const auto is_negative_zero = [](double each) { return each == 0 && std::signbit(each); };
  if (std::none_of(sizes.begin(), sizes.end(), is_negative_zero)) return {};
  for (double& each : sizes) {
    signs.push_back(std::copysign(1.0, each));
    each = std::abs(each);
  }
  const auto constant = [&](const std::vector<double>& values, std::string_view name) {
    return out.constant(ir::tensor_of(known->dtype, known->shape, values), name);
  };
  return std::pair(constant(signs, "signs"), constant(sizes, "sizes"));
}

/// tract rewrites x * x as a square, which it computes in f32 or, for i64, not at all. It detects
/// equal operands itself, so -(-a * b) is the form that is safe for any two.
Ref mul_integers(Emitter& out, Ref a, Ref b) {
  if (out.constant_value(a) || out.constant_value(b)) return out.elementwise("mul", {a, b});
  const DType dtype = out.dtype(a);
  if (!is_unsigned(dtype)) return neg(out, out.elementwise("mul", {neg(out, a), b}));
  return out.cast(mul(out, out.cast(a, DType::i64), out.cast(b, DType::i64)), dtype);
}

/// The sum by tract's einsum, which adds i64 without overflow. The leading axis avoids a result of
/// rank 0, which einsum gets wrong.
Ref sum_by_einsum(Emitter& out, Ref x, const Ints& axes) {
  std::string all = "z", kept = "z";
  Shape kept_shape = {1};
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const char letter = static_cast<char>('a' + axis);
    all += letter;
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    kept += letter;
    kept_shape.push_back(out.shape(x)[axis]);
  }
  const DType dtype = out.dtype(x);
  const std::string acc(ir::dtype_name(dtype));
  const Ref y = out.call_list("tract_core_einsum", {out.unsqueeze(x, {0})},
                              {{"expr", all + "->" + kept}, {"acc", acc}}, dtype, kept_shape);
  return out.unsqueeze(out.squeeze(y, {0}), axes);
}

/// The number of elements along `axes`.
Ref count_of(Emitter& out, Ref x, const Ints& axes) {
  Dim count = 1;
  for (const int64_t axis : axes) count = count * out.shape(x)[axis];
  return out.size(count, out.dtype(x));
}

/// Booleans as numbers: tract compares numbers only.
Ref as_number(Emitter& out, Ref x) {
  return out.dtype(x) == DType::boolean ? out.cast(x, DType::u8) : x;
}

}  // namespace

Ref add(Emitter& out, Ref a, Ref b) {
  if (is_neutral(out, a, b, 0)) return a;
  if (is_neutral(out, b, a, 0)) return b;
  return out.elementwise(out.dtype(a) == DType::boolean ? "or" : "add", {a, b});
}

Ref sub(Emitter& out, Ref a, Ref b) {
  return is_neutral(out, a, b, 0) ? a : out.elementwise("sub", {a, b});
}

Ref mul(Emitter& out, Ref a, Ref b) {
  if (out.dtype(a) == DType::boolean) return logical_and(out, a, b);
  if (is_neutral(out, a, b, 1)) return a;
  if (is_neutral(out, b, a, 1)) return b;
  return ir::is_integer(out.dtype(a)) ? mul_integers(out, a, b) : out.elementwise("mul", {a, b});
}

Ref div(Emitter& out, Ref a, Ref b) {
  if (is_neutral(out, a, b, 1)) return a;
  if (has_coarse_reciprocal(out, b))
    return out.cast(div(out, out.cast(a, DType::f32), out.cast(b, DType::f32)), DType::f16);
  if (const auto parts = sign_and_magnitude(out, b))
    return mul(out, out.elementwise("div", {a, parts->second}), parts->first);
  return out.elementwise("div", {a, b});
}

Ref minimum(Emitter& out, Ref a, Ref b) {
  return out.elementwise(out.dtype(a) == DType::boolean ? "and" : "min", {a, b});
}

Ref maximum(Emitter& out, Ref a, Ref b) {
  return out.elementwise(out.dtype(a) == DType::boolean ? "or" : "max", {a, b});
}

Ref neg(Emitter& out, Ref x) {
  // neg saturates at zero where torch wraps around.
  return is_unsigned(out.dtype(x)) ? sub(out, like(out, 0, x), x) : out.elementwise("neg", {x});
}

Ref magnitude(Emitter& out, Ref x) {
  // tract before 0.23 lacks abs in f64.
  if (out.dtype(x) == DType::f64) return maximum(out, x, neg(out, x));
  return is_unsigned(out.dtype(x)) ? x : out.elementwise("abs", {x});
}

Ref compare(Emitter& out, std::string_view op, Ref a, Ref b) {
  return out.elementwise(op, {as_number(out, a), as_number(out, b)}, DType::boolean);
}

Ref logical_and(Emitter& out, Ref a, Ref b) { return out.elementwise("and", {a, b}); }
Ref logical_or(Emitter& out, Ref a, Ref b) { return out.elementwise("or", {a, b}); }
Ref logical_xor(Emitter& out, Ref a, Ref b) { return out.elementwise("tract_core_xor", {a, b}); }
Ref logical_not(Emitter& out, Ref x) { return out.elementwise("not", {x}); }

Ref select(Emitter& out, Ref condition, Ref then, Ref otherwise) {
  return out.elementwise("select", {condition, then, otherwise}, out.dtype(then));
}

Ref like(Emitter& out, double value, Ref x) {
  const DType dtype = out.dtype(x);
  return ir::is_float(dtype) ? out.scalar(value, dtype)
                             : out.scalar(static_cast<int64_t>(value), dtype);
}

Ref widened(Emitter& out, Ref x) {
  if (is_q4_0(out, x)) return x;  // blocks have no width of their own
  const bool is_wide = out.dtype(x) == DType::f64 && !out.has(target::Feature::computes_f64);
  return out.dtype(x) == DType::f16 || is_wide ? out.cast(x, DType::f32) : x;
}

namespace {

/// The terms of a sum: halves as f32, and small integers as i64, since their sums saturate in tract
/// and wrap in torch.
Ref as_terms(Emitter& out, Ref x) {
  const DType dtype = out.dtype(x);
  return ir::is_integer(dtype) && ir::dtype_size(dtype) < 4 ? out.cast(x, DType::i64)
                                                            : widened(out, x);
}

/// tract adds f32 elements one after another: a sum of 500,000 positive ones is off by 6e-6, while
/// torch adds in a tree. Rows of language models (up to 16,384) keep the form that tract fuses.
bool is_long_sum(const Emitter& out, std::string_view op, Ref x, const Ints& axes) {
  constexpr int64_t kExactEnough = 16384;
  int64_t n = 1;
  for (const int64_t axis : axes) {
    const Dim& size = out.shape(x)[axis];
    if (size.is_constant()) n *= size.value();
  }
  return (op == "sum_reduce" || op == "mean_reduce") && out.dtype(x) == DType::f32 &&
         n > kExactEnough;
}

/// The result of torch for an empty reduction; tract divides by zero.
double empty_reduction(std::string_view op) {
  if (op == "mean_reduce") return std::numeric_limits<double>::quiet_NaN();
  return op == "tract_core_product_reduce" || op == "all_reduce" ? 1 : 0;
}

/// The reduced axes that may be empty. tract divides by the size of the last axis, and moves
/// transpositions, so any axis may become the last.
Ints maybe_empty_axes(Emitter& out, Ref x, const Ints& axes) {
  Ints found;
  for (const int64_t axis : axes)
    if (may_be_zero(out, size_of(out, x, axis))) found.push_back(axis);
  return found;
}

/// tract derives value ranges from the sizes in products, including those in its own means: the
/// expressions grow with each mean over other sizes, and loading does not terminate.
bool is_dynamic_mean(const Emitter& out, std::string_view op, Ref x, const Ints& axes) {
  return op == "mean_reduce" && out.has(target::Feature::open_sizes) &&
         std::any_of(axes.begin(), axes.end(),
                     [&](int64_t axis) { return !out.shape(x)[axis].is_constant(); });
}

/// A sum, with an extra zero if an axis may be empty, or the mean of such a sum.
Ref dynamic_sum(Emitter& out, std::string_view op, Ref x, const Ints& axes, const Shape& shape) {
  std::vector<std::pair<int64_t, int64_t>> padding(shape.size());
  const Ints empty = maybe_empty_axes(out, x, axes);
  for (const int64_t axis : empty) padding[axis].second = 1;
  const Ref padded = empty.empty() ? x : out.pad(x, padding);
  const Ref sum = out.call("sum_reduce", {padded}, {{"axes", axes}}, out.dtype(x), shape);
  return op == "mean_reduce" ? div(out, sum, count_of(out, x, axes)) : sum;
}

}  // namespace

Ref reduce(Emitter& out, std::string_view op, Ref x, const Ints& axes, std::optional<DType> dtype) {
  const bool is_bool = out.dtype(x) == DType::boolean && op != "any_reduce" && op != "all_reduce";
  const bool is_sum =
      op == "sum_reduce" || op == "mean_reduce" || op == "tract_core_product_reduce";
  const Ref in = is_bool ? out.cast(x, DType::u8) : is_sum ? as_terms(out, x) : x;
  Shape shape = out.shape(x);
  for (const int64_t axis : axes) shape[axis] = 1;
  const bool is_empty = std::any_of(axes.begin(), axes.end(),
                                    [&](int64_t axis) { return out.shape(x)[axis] == Dim(0); });
  if (is_empty)
    return out.full(out.scalar(empty_reduction(op), dtype.value_or(out.dtype(x))), shape);
  // tract's sum_reduce wraps i64 sums at 32 bits. It computes means of squares, and sums of squares
  // divided by their number, in f32 whatever their dtype.
  const bool has_f64 = out.has(target::Feature::computes_f64);
  const bool has_integers = out.has(target::Feature::computes_integers);
  if (has_integers && op == "sum_reduce" && out.dtype(in) == DType::i64)
    return out.cast(sum_by_einsum(out, in, axes), out.dtype(x));
  if (has_f64 && op == "mean_reduce" && out.dtype(in) == DType::f64)
    return div(out, sum_by_einsum(out, in, axes), count_of(out, in, axes));
  if (has_f64 && is_long_sum(out, op, in, axes)) {
    const Ref wide = out.cast(in, DType::f64);
    // Over symbolic sizes tract runs an einsum element by element, which takes minutes for a large
    // model. The cast keeps tract from recognising a sum of squares.
    const bool is_known = is_static(out.shape(x));
    return out.cast(
        is_known ? reduce(out, op, wide, axes) : dynamic_sum(out, op, wide, axes, shape),
        out.dtype(x));
  }
  const bool is_added = op == "sum_reduce" || op == "mean_reduce";
  if (is_added && (is_dynamic_mean(out, op, in, axes) || !maybe_empty_axes(out, in, axes).empty()))
    return out.cast(dynamic_sum(out, op, in, axes, shape), out.dtype(x));
  const Ref y = out.call(op, {in}, {{"axes", axes}}, dtype.value_or(out.dtype(in)), shape);
  return dtype ? y : out.cast(y, out.dtype(x));
}

Ref exact_extremum(Emitter& out, std::string_view op, Ref x, const Ints& axes) {
  if (axes.empty()) return x;
  Ref y = reduce(out, op, x, axes);
  if (!ir::is_float(out.dtype(x))) return y;
  if (out.has(target::Feature::computes_f64) && !is_limited_later(out.state())) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Ref limit = like(out, op == "max_reduce" ? -infinity : infinity, x);
    y = select(out, reduce(out, "max_reduce", compare(out, "ne", x, limit), axes), y, limit);
  }
  if (!may_meet_nan(out)) return y;
  return select(out, reduce(out, "max_reduce", is_nan(out, x), axes), like(out, kNan, y), y);
}

Ref first_extremum(Emitter& out, std::string_view op, Ref x, const Ints& axes) {
  const Ref y = reduce(out, op, x, axes, DType::i64);
  if (!ir::is_float(out.dtype(x)) || !may_meet_nan(out)) return y;
  const Ref nan_mask = is_nan(out, x);
  const Ref first =
      reduce(out, "argmax_reduce", out.cast(nan_mask, out.dtype(x)), axes, DType::i64);
  return select(out, reduce(out, "max_reduce", nan_mask, axes), first, y);
}

Ref iota(Emitter& out, const Dim& n, int axis, int rank) {
  Shape shape(static_cast<size_t>(rank), Dim(1));
  shape[axis] = n;
  if (!n.is_constant()) return out.reshape(out.range(n), shape);
  return int_constant(out, all_axes(n.value()), ir::static_shape(shape), "iota");
}

Ref int_constant(Emitter& out, const std::vector<int64_t>& values, const Ints& shape,
                 std::string_view name) {
  return out.constant(ir::tensor_of(DType::i64, shape, values), name);
}

Ints axis_to_front(int axis, int rank) {
  Ints permutation = all_axes(rank);
  permutation.erase(permutation.begin() + axis);
  permutation.insert(permutation.begin(), axis);
  return permutation;
}

int64_t extent(const Emitter& out, Ref x, int64_t axis) {
  const size_t at = axis;
  const Dim& size = out.shape(x).at(at);
  return size.is_constant() ? size.value() : out.sizes(x)[at];
}

Ref at_least_1d(Emitter& out, Ref x) { return out.rank(x) == 0 ? out.unsqueeze(x, {0}) : x; }

bool may_be_empty(Emitter& out, Ref x, int axis) { return may_be_zero(out, size_of(out, x, axis)); }

Ref with_entry(Emitter& out, Ref x, int axis) {
  if (!may_be_empty(out, x, axis)) return x;
  std::vector<std::pair<int64_t, int64_t>> padding(out.shape(x).size());
  padding[axis].second = 1;
  return out.pad(x, padding);
}

Ref reversed(Emitter& out, Ref x, const Ints& axes) {
  for (const int64_t axis : axes) {
    const Dim size = size_of(out, x, axis);
    const int at = static_cast<int>(axis);
    if (!size.is_constant())
      x = out.slice(x, at, size - Dim(1), Dim(-1), -1);
    else if (size.value() > 1)
      x = out.slice(x, at, 0, size.value(), -1);
  }
  return x;
}

Ref flattened(Emitter& out, Ref x) { return out.reshape(x, {element_count(out.shape(x))}); }

Ints broadcast_sizes(const Ints& a, const Ints& b) {
  Ints shape(std::max(a.size(), b.size()), 1);
  for (const Ints& sizes : {a, b})
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t& size = shape[shape.size() - sizes.size() + i];
      if (sizes[i] != 1) size = sizes[i];
    }
  return shape;
}

std::pair<Ref, Ref> operands(const OpView& op, Emitter& out) {
  if (!op.is_tensor("self")) {
    const Ref other = op.tensor("other");
    return {op.number("self", out.dtype(other)), other};
  }
  const Ref self = op.tensor("self");
  return {self, operand(op, out, "other", out.dtype(self))};
}

Ref operand(const OpView& op, Emitter& out, std::string_view name, DType dtype) {
  return op.is_tensor(name) ? out.cast(op.tensor(name), dtype) : op.number(name, dtype);
}

Ref converted_number(const OpView& op, Emitter& out, std::string_view name, DType dtype) {
  if (!ir::is_integer(dtype) || op.is_symbolic(name)) return op.number(name, dtype);
  const double value = op.f64(name);
  return std::trunc(value) == value ? op.number(name, dtype)
                                    : out.scalar(static_cast<int64_t>(value), dtype);
}

bool is_number(const Emitter& out, Ref x, double value) {
  const auto known = out.constant_value(x);
  return known && known->shape.empty() && ir::element_f64(*known, 0) == value;
}

void finish(const OpView& op, Emitter& out, Ref y, int index) {
  out.result(out.broadcast_to(out.cast(y, op.dtype(index)), op.shape(index)), index);
}

void ignore_present(const OpView& op, std::initializer_list<std::string_view> names,
                    std::string_view why) {
  for (const std::string_view name : names)
    if (op.has_argument(name)) op.ignore(name, why);
}

}  // namespace t2n::ops
