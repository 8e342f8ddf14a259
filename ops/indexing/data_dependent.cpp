// SPDX-License-Identifier: Apache-2.0
// Results whose size depends on data: distinct values, counts, repetitions.
#include "ops/indexing/families.h"
#include "ops/indexing/scatter.h"
#include "ops/reduction/reduce.h"
#include "ops/structure/index.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

constexpr const char* kHelp = "compute it outside the model, or use torch.where with a mask";
constexpr const char* kSum = "tract_core_cumsum";

Ref number(Emitter& out, int64_t value) { return out.scalar(value, DType::i64); }

/// 1 for the first row of `x` and for each row that differs from the previous one, else 0.
Ref begins(Emitter& out, Ref x) {
  const Ref positions = iota(out, out.shape(x)[0], 0, 1);
  const Ref before =
      take(out, x, maximum(out, sub(out, positions, number(out, 1)), number(out, 0)), 0);
  const Ref is_first = out.cast(compare(out, "eq", positions, number(out, 0)), DType::i64);
  Ref differs = out.cast(compare(out, "ne", x, before), DType::i64);
  if (out.rank(x) == 2) differs = out.squeeze(reduce(out, "max_reduce", differs, {1}), {1});
  return maximum(out, is_first, differs);
}

/// The distance from each start to the next, or to the end.
Ref run_lengths(Emitter& out, Ref starts, const Dim& size) {
  const Ref all = out.concat({starts, out.unsqueeze(out.size(size, DType::i64), {0})}, 0);
  const Dim& count = size_of(out, starts, 0);
  const Ref next = take(out, all, add(out, iota(out, count, 0, 1), number(out, 1)), 0);
  return sub(out, next, starts);
}

/// The symbol of the number of distinct values, an axis of the result. Refuses a result without
/// one.
Dim unbacked_size(const OpView& op, int axis = 0) {
  if (!is_unbacked(op.shape())) op.refuse_op(Limit::data_dependent_shape, kHelp);
  return op.shape().at(axis);
}

/// The starts of runs of equal rows of `x`. Emits result 1, the run of each element, and result 2,
/// the run lengths. `order` is the permutation that sorted `x`, if any.
Ref runs(const OpView& op, Emitter& out, Ref x, const Dim& count, std::optional<Ref> order) {
  const Ref flags = begins(out, x);
  const Ref starts = nonzero_indices(out, flags, count)[0];
  if (op.is_used(1)) {
    Ref run = sub(out, running_sum(out, kSum, flags, 0), number(out, 1));
    if (order) run = scatter_rows(out, sub(out, flags, flags), *order, run, {});
    finish(op, out, out.reshape(run, op.shape(1)), 1);
  }
  if (op.outputs() > 2 && op.is_used(2))
    finish(op, out, run_lengths(out, starts, size_of(out, x, 0)), 2);
  return starts;
}

/// Slices along an axis as rows of a matrix.
Ref matrix_of(Emitter& out, const Rows& rows) {
  Dim width = 1;
  for (size_t i = 1; i < rows.shape.size(); ++i) width = width * rows.shape[i];
  return out.reshape(rows.x, {rows.shape[0], width});
}

/// Sorts rows by each column, from the last to the first.
Ref order_of_rows(const OpView& op, Emitter& out, Ref matrix) {
  constexpr int64_t kMostColumns = 256;
  const int64_t columns = out.sizes(out.slice(matrix, 0, 0, 1))[1];
  if (columns > kMostColumns)
    op.refuse("self", Limit::too_many_steps, cat("use slices of up to ", kMostColumns));
  Ref order = iota(out, out.shape(matrix)[0], 0, 1);
  for (int64_t column = columns; column-- > 0;) {
    const Ref keys = out.squeeze(out.slice(matrix, 1, column, column + 1), {1});
    const Ref now = column + 1 == columns ? keys : take(out, keys, order, 0);
    const Ref next = sorted(out, now, size_of(out, now, 0), 0, false).indices;
    order = column + 1 == columns ? next : take(out, order, next, 0);
    out.declare_positions(order);
  }
  return order;
}

/// Distinct slices, or the first of equal neighbours.
void distinct_slices(const OpView& op, Emitter& out, bool is_sorted) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  Rows rows = as_rows(out, x, {axis});
  std::optional<Ref> order;
  if (is_sorted) order = order_of_rows(op, out, matrix_of(out, rows));
  if (order) rows.x = take(out, rows.x, *order, 0);
  const Dim count = unbacked_size(op, axis);
  const Ref starts = runs(op, out, matrix_of(out, rows), count, order);
  const Ref chosen = take(out, rows.x, starts, 0);
  rows.shape[0] = count;
  finish(op, out, from_rows(out, chosen, rows), 0);
}

void unique_dim(const OpView& op, Emitter& out) {
  ignore_present(op, {"sorted", "return_inverse", "return_counts"}, "unused results are dropped");
  distinct_slices(op, out, true);
}

void unique_consecutive(const OpView& op, Emitter& out) {
  ignore_present(op, {"return_inverse", "return_counts"}, "unused results are dropped");
  if (!op.is_none("dim")) return distinct_slices(op, out, false);
  const Ref x = flattened(out, op.tensor("self"));
  finish(op, out, take(out, x, runs(op, out, x, unbacked_size(op), {}), 0), 0);
}

/// The values are sorted in any case, as torch gives them.
void unique(const OpView& op, Emitter& out) {
  ignore_present(op, {"sorted", "return_inverse", "return_counts"}, "unused results are dropped");
  const Ref x = flattened(out, op.tensor("self"));
  const Sorted ordered = sorted(out, x, size_of(out, x, 0), 0, false);
  const Ref starts = runs(op, out, ordered.values, unbacked_size(op), ordered.indices);
  finish(op, out, take(out, ordered.values, starts, 0), 0);
}

/// The largest element plus one, but at least `least`.
Ref one_more(Emitter& out, Ref x, const Dim& least) {
  const Ref flat = flattened(out, out.cast(x, DType::i64));
  const Ref with_least =
      out.concat({flat, out.unsqueeze(out.size(least - Dim(1), DType::i64), {0})}, 0);
  const Ref largest = out.squeeze(reduce(out, "max_reduce", with_least, {0}), {0});
  return add(out, largest, number(out, 1));
}

void bincount(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), DType::i64);
  const Ref bins = unbacked_range(out, one_more(out, x, op.dim("minlength")), unbacked_size(op));
  const DType dtype = op.dtype();
  const Ref none = out.cast(sub(out, bins, bins), dtype);
  const auto weights = op.opt_tensor("weights");
  const Ref one = out.full(out.scalar(1, dtype), out.shape(x));
  const Ref rows = weights ? out.cast(*weights, dtype) : one;
  finish(op, out, scatter_rows(out, none, x, rows, {Combine::sum, true}));
}

/// The index of each entry, repeats[i] times for entry i.
Ref expanded_repeats(Emitter& out, Ref repeats, const Dim& count) {
  const Ref times = out.cast(repeats, DType::i64);
  const Ref ends = running_sum(out, kSum, times, 0);
  const Ref total = out.squeeze(reduce(out, "sum_reduce", times, {0}), {0});
  const Ref positions = unbacked_range(out, total, count);
  // The entry at a position is the number of entries that end at or before it.
  const Ref is_over = compare(out, "le", out.unsqueeze(ends, {0}), out.unsqueeze(positions, {1}));
  return out.squeeze(reduce(out, "sum_reduce", out.cast(is_over, DType::i64), {1}), {1});
}

/// Each slice once. Indices and counts are results even if they were not requested.
Shapes unique_slices_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return {with_dim(x, axis, shapes::unbacked_size()), {x.at(axis)}, {shapes::unbacked_size()}};
}

/// Each value once, its indices, and its count; results that were not requested are empty.
Shapes unique_shapes(const ShapeView& op) {
  if (op.has("dim")) return unique_slices_shapes(op);
  const bool has_inverse = op.boolean("return_inverse"), has_counts = op.boolean("return_counts");
  Shapes out = {{shapes::unbacked_size()}, has_inverse ? op.shape("self") : Shape{0}};
  if (op.outputs() > 2) out.push_back({has_counts ? shapes::unbacked_size() : Dim(0)});
  return out;
}

Shapes bincount_shapes(const ShapeView&) { return {{shapes::unbacked_size()}}; }

}  // namespace

bool has_computed_repeats(const Emitter& out, Ref repeats, const OpView& op) {
  return !out.constant_value(repeats) && is_unbacked(op.shape()) &&
         out.has(target::Feature::non_zero) && out.has(target::Feature::core_cumsum);
}

Ref computed_repeat_indices(Emitter& out, Ref repeats, const Dim& entries, const Dim& count) {
  Ref each = repeats;
  if (size_of(out, repeats, 0) == Dim(1) && !(entries == Dim(1)))
    each = out.broadcast_to(repeats, {entries});
  return expanded_repeats(out, each, count);
}

void register_data_dependent(Registry& r) {
  const auto add = [&](std::string_view op, std::string_view doc, Translate translate,
                       std::string_view limits = {}) {
    r.add({.op = op,
           .doc = doc,
           .variants = {{has(Feature::non_zero, Feature::core_cumsum), "tract_onnx_non_zero",
                         translate}},
           .limits = limits});
  };
  constexpr std::string_view kNanLimits = "NaN: its sort order in tract is undefined";
  add("aten::_unique", "the sorted distinct values, and the index of the value of each element",
      unique, kNanLimits);
  add("aten::_unique2",
      "the sorted distinct values, the index of the value of each element, and counts", unique,
      kNanLimits);
  add("aten::unique_consecutive",
      "the first of equal neighbours, the run of each element, and run lengths",
      unique_consecutive);
  add("aten::unique_dim_consecutive", "the first of equal neighbouring slices along dim",
      unique_consecutive);
  add("aten::unique_dim",
      "the sorted distinct slices along dim, the index of the slice of each entry, and counts",
      unique_dim, kNanLimits);
  add("aten::bincount", "the number of occurrences of 0, 1, ..., or the sums of their weights",
      bincount);
  r.shapes(unique_shapes, "_unique _unique2 unique_consecutive unique_dim unique_dim_consecutive");
  r.shapes(bincount_shapes, "bincount");
  r.bounds({bounds::count}, "bincount");
}

}  // namespace t2n::ops
