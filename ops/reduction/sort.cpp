// SPDX-License-Identifier: Apache-2.0
// Orders along an axis: sorting, the largest elements, and the k-th one.
#include <limits>

#include "ops/reduction/families.h"
#include "ops/structure/index.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Values, then indices, without the axis that was added for rank 0.
void finish_sorted(const OpView& op, Emitter& out, const Sorted& y) {
  finish(op, out, out.reshape(y.values, op.shape(0)), 0);
  finish(op, out, out.reshape(y.indices, op.shape(1)), 1);
}

/// Unsorted results may have any order; they are sorted.
void topk(const OpView& op, Emitter& out) {
  op.ignore("sorted", "a sorted result is one of those that torch may give unsorted");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dim");
  finish_sorted(op, out, sorted(out, x, op.dim("k"), axis, op.boolean("largest")));
}

Sorted in_order(const OpView& op, Emitter& out) {
  ignore_present(op, {"stable"}, "the engine's order is stable");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dim");
  return sorted(out, x, size_of(out, x, axis), axis, op.boolean("descending"));
}

void sort(const OpView& op, Emitter& out) { finish_sorted(op, out, in_order(op, out)); }

void argsort(const OpView& op, Emitter& out) {
  finish(op, out, out.reshape(in_order(op, out).indices, op.shape()));
}

void msort(const OpView& op, Emitter& out) {
  const Ref x = at_least_1d(out, op.tensor("self"));
  finish(op, out, out.reshape(sorted(out, x, size_of(out, x, 0), 0, false).values, op.shape()));
}

/// The k-th smallest, 1 being the first; the axis stays with extent 1.
Sorted kth(Emitter& out, Ref x, const Dim& k, int axis) {
  const Sorted first = sorted(out, x, k, axis, false);
  const Dim last = k - Dim(1);
  return {out.slice(first.values, axis, last, k), out.slice(first.indices, axis, last, k)};
}

void kthvalue(const OpView& op, Emitter& out) {
  op.ignore("keepdim", "the result's shape shows it");
  const Ref x = at_least_1d(out, op.tensor("self"));
  finish_sorted(op, out, kth(out, x, op.dim("k"), op.axis("dim")));
}

/// For an even number of elements, the lower middle one.
void median_dim(const OpView& op, Emitter& out) {
  op.ignore("keepdim", "the result's shape shows it");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dim");
  finish_sorted(op, out, kth(out, x, floor_div(size_of(out, x, axis) + Dim(1), 2), axis));
}

void median(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Dim count = element_count(out.shape(x));
  if (count == Dim(0))
    return finish(op, out, like(out, std::numeric_limits<double>::quiet_NaN(), x));
  const Ref flat = out.reshape(x, {count});
  finish(op, out, out.reshape(kth(out, flat, floor_div(count + Dim(1), 2), 0).values, {}));
}

Shapes topk_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  const int axis = op.axis("dim", dim_rank(x));
  if (!x.empty()) op.require(op.dim("k"), Relation::le, x.at(axis));
  return repeated(op, with_dim(x, axis, op.dim("k")));
}

Shapes kthvalue_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  if (!x.empty()) op.require(op.dim("k"), Relation::le, x.at(op.axis("dim", dim_rank(x))));
  return shapes::reduce(op);
}

}  // namespace

Sorted sorted(Emitter& out, Ref x, const Dim& k, int axis, bool largest) {
  if (out.dtype(x) == DType::boolean) {
    const Sorted numbers = sorted(out, out.cast(x, DType::u8), k, axis, largest);
    return {out.cast(numbers.values, DType::boolean), numbers.indices};
  }
  const Shape shape = with_size(out.shape(x), axis, k);
  const nnef::Value number =
      k.is_constant() ? nnef::integer(k.value()) : out.operand(out.size(k, DType::i64));
  const auto results =
      out.calls("tract_core_topk", {x}, {{"k", number}, {"axis", axis}, {"largest", largest}},
                {{out.dtype(x), shape}, {DType::i64, shape}});
  if (k.is_constant()) return {results[0], results[1]};
  return {out.sized(results[0], axis, k), out.sized(results[1], axis, k)};
}

void register_sort(Registry& r) {
  constexpr std::string_view kNanLimits = "NaN: its sort order in tract is undefined";
  r.same({"aten::topk"}, {"tract_core_topk",
                          "the k largest or smallest elements along dim, in order",
                          topk,
                          {},
                          kNanLimits});
  r.same({"aten::sort", "aten::sort.stable"},
         {"tract_core_topk", "all elements along dim in order; stable", sort, {}, kNanLimits});
  r.same({"aten::argsort", "aten::argsort.stable"},
         {"tract_core_topk", "indices that sort along dim; stable", argsort, {}, kNanLimits});
  r.same({"aten::msort"},
         {"tract_core_topk", "all elements along axis 0 in order", msort, {}, kNanLimits});
  r.same({"aten::kthvalue"},
         {"tract_core_topk", "the k-th smallest element along dim", kthvalue, {}, kNanLimits});
  r.same({"aten::median"}, {"tract_core_topk", "the lower median", median, {}, kNanLimits});
  r.same({"aten::median.dim"},
         {"tract_core_topk", "the lower median along dim", median_dim, {}, kNanLimits});
  r.shapes(shapes::reduce, "median");
  r.shapes(shapes::same, "argsort msort sort");
  r.shapes(topk_shapes, "topk");
  r.shapes(kthvalue_shapes, "kthvalue");
  r.bounds({bounds::count}, "argsort");
  r.bounds({bounds::kept, false, true}, "sort topk kthvalue median");
  r.bounds({bounds::kept}, "msort");
}

}  // namespace t2n::ops
