// SPDX-License-Identifier: Apache-2.0
// Running sums, products and extremes along an axis.
#include <limits>

#include "ops/reduction/families.h"
#include "ops/reduction/reduce.h"
#include "ops/structure/spatial.h"
#include "src/diag/error.h"
#include "src/translate/nan.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

Ref cumsum_native(Emitter& out, Ref x, int axis) {
  return out.elementwise("tract_core_cumsum", {x}, {},
                         {{"axis", axis}, {"exclusive", false}, {"reverse", false}});
}

/// A product with a triangle of ones; integers are exact up to 2^53.
Ref cumsum_product(Emitter& out, Ref x, int axis) {
  const Ref floats = ir::is_float(out.dtype(x)) ? x : out.cast(x, DType::f64);
  if (const Dim& size = size_of(out, x, axis); !size.is_constant()) {
    const Ref is_seen = compare(out, "le", iota(out, size, 1, 2), iota(out, size, 0, 2));
    const Ref y = along_axis(out, floats, axis, out.cast(is_seen, out.dtype(floats)));
    return out.cast(y, out.dtype(x));
  }
  const int64_t n = extent(out, x, axis);
  std::vector<double> triangle(static_cast<size_t>(n * n), 0);
  for (int64_t row = 0; row < n; ++row)
    for (int64_t column = 0; column <= row; ++column) triangle[row * n + column] = 1;
  return out.cast(along_axis(out, floats, axis, triangle, n), out.dtype(x));
}

/// The elements up to each of the first `n` positions, with `fill` in place of later ones: [..,
/// position, element, ..] at `axis`. Memory: the square of the axis.
Ref prefixes(Emitter& out, Ref x, int axis, Ref fill, const Dim& n) {
  const int rank = out.rank(x);
  const Dim all = size_of(out, x, axis);
  const Ref is_later =
      compare(out, "gt", iota(out, all, axis + 1, rank + 1), iota(out, n, axis, rank + 1));
  return select(out, is_later, fill, out.unsqueeze(x, {axis}));
}

Ref reduced_prefixes(Emitter& out, std::string_view reduction, Ref all, int axis) {
  return out.squeeze(reduce(out, reduction, all, {axis + 1}), {axis + 1});
}

void cumsum(const OpView& op, Emitter& out) {
  op.ignore("dtype", "the result's dtype shows it");
  const Ref x = widened(out, out.cast(op.tensor("self"), op.dtype()));
  if (out.rank(x) == 0) op.ignore("dim", "there is one element");
  finish(op, out, out.rank(x) == 0 ? x : running_sum(out, op.nnef(), x, op.axis("dim")));
}

void cumprod(const OpView& op, Emitter& out) {
  op.ignore("dtype", "the result's dtype shows it");
  const Ref self = widened(out, out.cast(op.tensor("self"), op.dtype()));
  const Ref x = at_least_1d(out, self);
  const int axis = op.axis("dim");
  const Dim n = size_of(out, x, axis);
  const Ref all = prefixes(out, with_entry(out, x, axis), axis, like(out, 1, x), n);
  const Ref y = reduced_prefixes(out, "tract_core_product_reduce", all, axis);
  finish(op, out, out.reshape(y, op.shape()));
}

/// Values, with the last index among equal ones so far, as in torch.
void running_extremum(const OpView& op, Emitter& out) {
  const Ref self = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dim");
  const Dim n = size_of(out, self, axis);
  const Ref x = with_entry(out, self, axis);
  // The first element is a prefix of every position.
  const Ref first = out.slice(x, axis, 0, 1);
  const Ref all = prefixes(out, x, axis, out.unsqueeze(first, {axis}), n);
  const Ref values = out.squeeze(exact_extremum(out, op.nnef(), all, {axis + 1}), {axis + 1});
  const int rank = out.rank(x) + 1;
  const Ref positions = iota(out, size_of(out, x, axis), axis + 1, rank);
  const Ref none = out.scalar(int64_t{0}, DType::i64);
  const Ref is_seen = compare(out, "le", positions, iota(out, n, axis, rank));
  Ref is_value = compare(out, "eq", all, out.unsqueeze(values, {axis + 1}));
  if (ir::is_float(out.dtype(x)) && may_meet_nan(out))
    is_value = logical_or(out, is_value, is_nan(out, all));
  const Ref is_it = logical_and(out, is_seen, is_value);
  const Ref indices =
      reduced_prefixes(out, "max_reduce", select(out, is_it, positions, none), axis);
  finish(op, out, out.reshape(values, op.shape(0)), 0);
  finish(op, out, out.reshape(indices, op.shape(1)), 1);
}

void logcumsumexp(const OpView& op, Emitter& out) {
  const Ref x = at_least_1d(out, widened(out, op.tensor("self")));
  const int axis = op.axis("dim");
  const double infinity = std::numeric_limits<double>::infinity();
  const Dim n = size_of(out, x, axis);
  const Ref all = prefixes(out, with_entry(out, x, axis), axis, like(out, -infinity, x), n);
  const Ref y = out.squeeze(log_sum_exp(out, all, {axis + 1}), {axis + 1});
  finish(op, out, out.reshape(y, op.shape()));
}

Bounds running_sum_bounds(const OperandBounds& x) {
  const double terms = x.axis_size("dim");
  return hull(x.at("self"), {}) * Bounds{terms, terms};
}

}  // namespace

Ref running_sum(Emitter& out, std::string_view nnef, Ref x, int axis) {
  return nnef == "tract_core_cumsum" ? cumsum_native(out, x, axis) : cumsum_product(out, x, axis);
}

void register_cumulative(Registry& r) {
  r.add({.op = "aten::cumsum",
         .doc = "sums of the first 1, 2, ... elements along dim",
         .variants = {{has(Feature::core_cumsum), "tract_core_cumsum", cumsum},
                      {any_target(), "matmul", cumsum}}});
  r.same({"aten::cumprod"}, {"tract_core_product_reduce",
                             "products of the first 1, 2, ... elements along dim", cumprod});
  r.same({"aten::cummax"},
         {"max_reduce", "largest of the first 1, 2, ... elements, and its last index",
          running_extremum});
  r.same({"aten::cummin"},
         {"min_reduce", "smallest of the first 1, 2, ... elements, and its last index",
          running_extremum});
  r.same({"aten::logcumsumexp", "aten::_logcumsumexp"},
         {"sum_reduce", "log(sum(exp(.))) of the first 1, 2, ... elements along dim", logcumsumexp,
          Promotion::to_float});
  r.shapes(shapes::same, "_logcumsumexp cummax cummin cumprod cumsum logcumsumexp");
  r.bounds({running_sum_bounds, true}, "cumsum");
  r.bounds({bounds::running_product, true}, "cumprod");
  r.bounds({bounds::kept, false, true}, "cummax cummin");
  r.linear("cumsum");
}

}  // namespace t2n::ops
