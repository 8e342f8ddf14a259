// SPDX-License-Identifier: Apache-2.0
// Reductions over axes.
#include "ops/reduction/reduce.h"

#include "ops/reduction/families.h"
#include "src/diag/error.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// dtype= casts before the operation; sums of integers and booleans are i64.
void accumulate(const OpView& op, Emitter& out) {
  ignore_present(op, {"dtype"}, "the result's dtype shows it");
  const Ref x = out.cast(op.tensor("self"), op.dtype());
  const Ints axes = reduced_axes(op, out, x);
  const bool is_mean = op.nnef() == "mean_reduce";
  finish_reduced(op, out,
                 axes.empty() ? x
                 : is_mean    ? mean(op, out, x, axes)
                              : reduce(out, op.nnef(), x, axes),
                 axes);
}

/// NaN counts as 0; op.nnef() is "div" if the sum is divided by the count of other elements.
void nan_total(const OpView& op, Emitter& out) {
  ignore_present(op, {"dtype"}, "the result's dtype shows it");
  const Ref x = widened(out, out.cast(op.tensor("self"), op.dtype()));
  const Ints axes = reduced_axes(op, out, x);
  const Ref is_absent = is_nan(out, x);
  const auto sum = [&](Ref y) { return axes.empty() ? y : reduce(out, "sum_reduce", y, axes); };
  const Ref total = sum(select(out, is_absent, like(out, 0, x), x));
  if (op.nnef() != "div") return finish_reduced(op, out, total, axes);
  const Ref count = sum(out.cast(logical_not(out, is_absent), out.dtype(x)));
  finish_reduced(op, out, quotient(op, out, total, count), axes);
}

/// Maxima and minima over dim; exact_extremum() treats NaN and infinities.
void extremum_over_dim(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ints axes = reduced_axes(op, out, x);
  finish_reduced(op, out, exact_extremum(out, op.nnef(), x, axes), axes);
}

void aminmax(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ints axes = reduced_axes(op, out, x);
  finish_reduced(op, out, exact_extremum(out, "min_reduce", x, axes), axes, 0);
  finish_reduced(op, out, exact_extremum(out, "max_reduce", x, axes), axes, 1);
}

/// Without dim the index is over all elements, joined to one axis: tract swaps the axes of what it
/// reduces, and an index over several axes would follow the memory order.
void arg_extremum(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ints axes = reduced_axes(op, out, x);
  if (axes.empty()) return finish_reduced(op, out, out.scalar(int64_t{0}, DType::i64), axes);
  if (axes.size() == 1)
    return finish_reduced(op, out, first_extremum(out, op.nnef(), x, axes), axes);
  const Ref y = first_extremum(out, op.nnef(), flattened(out, x), {0});
  finish_reduced(op, out, out.unsqueeze(y, Ints(axes.begin() + 1, axes.end())), axes);
}

/// Values and the first index of each.
void extremum_with_index(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref x = at_least_1d(out, self);
  const Ints axes = {op.axis("dim")};
  const Ref values = exact_extremum(out, op.nnef(), x, axes);
  const Ref indices =
      first_extremum(out, op.nnef() == "max_reduce" ? "argmax_reduce" : "argmin_reduce", x, axes);
  const bool keeps = op.boolean("keepdim") && out.rank(self) > 0;
  finish(op, out, keeps ? values : out.squeeze(values, axes), 0);
  finish(op, out, keeps ? indices : out.squeeze(indices, axes), 1);
}

/// op.nnef() reduces booleans, or numbers if the engine has no such reduction. An empty list of
/// dims reduces nothing here.
void logical_reduction(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), DType::boolean);
  Ints axes = reduced_axes(op, out, x);
  if (op.has_argument("dim") && !op.is_none("dim") && op.dims("dim").empty()) axes = {};
  finish_reduced(op, out, axes.empty() ? x : reduce(out, op.nnef(), x, axes), axes);
}

void count_nonzero(const OpView& op, Emitter& out) {
  const Ref is_nonzero = out.cast(op.tensor("self"), DType::boolean);
  const Ref x = out.cast(is_nonzero, DType::i64);
  const Ints axes = reduced_axes(op, out, x);
  finish_reduced(op, out, axes.empty() ? x : reduce(out, "sum_reduce", x, axes), axes);
}

/// Sums the leading axes, and those that `size` gives extent 1.
void sum_to_size(const OpView& op, Emitter& out) {
  op.ignore("size", "the result's shape shows it");
  const Ref x = out.cast(op.tensor("self"), op.dtype());
  const int leading = out.rank(x) - op.rank();
  Ints axes;
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const size_t at = axis - leading;
    if (axis < leading || op.shape()[at] != out.shape(x)[axis]) axes.push_back(axis);
  }
  const Ref y = axes.empty() ? x : reduce(out, "sum_reduce", x, axes);
  finish(op, out, out.reshape(y, op.shape()));
}

void register_sums(Registry& r) {
  r.same({"aten::sum", "aten::sum.dim_IntList"}, {"sum_reduce", "sum over dim", accumulate});
  r.same({"aten::sum_to_size"}, {"sum_reduce", "sums over the axes that size lacks", sum_to_size});
  r.same({"aten::mean", "aten::mean.dim"},
         {"mean_reduce", "sum over dim / number of elements", accumulate});
  r.same({"aten::prod", "aten::prod.dim_int"},
         {"tract_core_product_reduce", "product over dim", accumulate});
  r.same({"aten::nansum"}, {"sum_reduce", "sum over dim, NaN as 0", nan_total});
  r.same({"aten::nanmean"}, {"div", "mean over dim of the elements that are not NaN", nan_total});
  r.same({"aten::count_nonzero", "aten::count_nonzero.dim_IntList"},
         {"sum_reduce", "number of elements that are not 0", count_nonzero});
}

void register_extrema(Registry& r) {
  r.same({"aten::max", "aten::amax"},
         {"max_reduce", "largest element over dim; NaN is ignored", extremum_over_dim});
  r.same({"aten::min", "aten::amin"},
         {"min_reduce", "smallest element over dim; NaN is ignored", extremum_over_dim});
  r.same({"aten::max.dim"},
         {"max_reduce", "largest element along dim, and its first index", extremum_with_index});
  r.same({"aten::min.dim"},
         {"min_reduce", "smallest element along dim, and its first index", extremum_with_index});
  r.same({"aten::aminmax", "aten::_aminmax", "aten::_aminmax.dim"},
         {"min_reduce", "smallest and largest element over dim", aminmax});
  r.same({"aten::argmax"}, {"argmax_reduce", "first index of the largest element", arg_extremum});
  r.same({"aten::argmin"}, {"argmin_reduce", "first index of the smallest element", arg_extremum});
}

/// An empty list of dims means no reduction here.
Shapes reduce_listed_shapes(const ShapeView& op) {
  return op.has("dim") && op.dims("dim").empty() ? Shapes{op.first()} : shapes::reduce(op);
}

/// The inverse of expand.
Shapes sum_to_size_shapes(const ShapeView& op) {
  const Shape out = op.dims("size");
  op.require_fit(out, op.shape("self"));
  return {out};
}

}  // namespace

Ints reduced_axes(const OpView& op, const Emitter& out, Ref x) {
  return op.has_argument("dim") ? op.axes("dim", out.rank(x)) : all_axes(out.rank(x));
}

void finish_reduced(const OpView& op, Emitter& out, Ref y, const Ints& axes, int index) {
  const bool keeps = op.has_argument("keepdim") && op.boolean("keepdim");
  finish(op, out, keeps ? y : out.squeeze(y, axes), index);
}

void register_reduce(Registry& r) {
  register_sums(r);
  register_extrema(r);
  r.add({.op = "aten::any",
         .also = {"aten::any.dim", "aten::any.dims", "aten::_is_any_true"},
         .doc = "whether an element over dim is not 0",
         .variants = {{has(Feature::any_all_reduce), "any_reduce", logical_reduction},
                      {any_target(), "max_reduce", logical_reduction}}});
  r.add({.op = "aten::all",
         .also = {"aten::all.dim", "aten::all.dims", "aten::_is_all_true"},
         .doc = "whether no element over dim is 0",
         .variants = {{has(Feature::any_all_reduce), "all_reduce", logical_reduction},
                      {any_target(), "min_reduce", logical_reduction}}});
  r.shapes(shapes::numbers, "_is_all_true _is_any_true");
  r.shapes(shapes::reduce,
           "_aminmax all amax amin aminmax any argmax argmin count_nonzero mean nanmean "
           "nansum prod sum max min");
  r.shapes(reduce_listed_shapes, "all.dims any.dims");
  r.shapes(sum_to_size_shapes, "sum_to_size");
  r.bounds({bounds::total, true}, "sum nansum sum_to_size");
  r.bounds({bounds::running_product, true}, "prod");
  r.bounds({bounds::count}, "argmax argmin count_nonzero");
  r.bounds({bounds::kept, false, true}, "max min");
  r.bounds({bounds::kept}, "amax amin aminmax _aminmax");
  r.linear("mean sum sum_to_size");
}

}  // namespace t2n::ops
