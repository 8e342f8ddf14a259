// Results whose size depends on the operands' values: distinct values, counts, repetitions.
#include "ops/index.h"
#include "ops/positions.h"
#include "ops/reduce.h"
#include "ops/scatter.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

constexpr const char* kHelp = "compute it outside the model, or use torch.where with a mask";
constexpr const char* kSum = "tract_core_cumsum";

Ref number(Emitter& out, int64_t value) { return out.scalar(value, DType::i64); }

/// Ones where a row of `x` is another than before it; one for the first.
Ref begins(Emitter& out, Ref x) {
  const Ref places = iota(out, out.shape(x)[0], 0, 1);
  const Ref before =
      take(out, x, maximum(out, sub(out, places, number(out, 1)), number(out, 0)), 0);
  const Ref is_first = out.cast(compare(out, "eq", places, number(out, 0)), DType::i64);
  Ref differs = out.cast(compare(out, "ne", x, before), DType::i64);
  if (out.rank(x) == 2) differs = out.squeeze(reduce(out, "max_reduce", differs, {1}), {1});
  return maximum(out, is_first, differs);
}

/// The distance from each position to the next, or to the end.
Ref run_lengths(Emitter& out, Ref places, const Dim& size) {
  const Ref all = out.concat({places, out.unsqueeze(out.size(size, DType::i64), {0})}, 0);
  const Dim& count = size_of(out, places, 0);
  const Ref next = take(out, all, add(out, iota(out, count, 0, 1), number(out, 1)), 0);
  return sub(out, next, places);
}

/// The number of distinct values, along an axis of the result, which is a symbol; refuses where it
/// has none.
Dim counted_size(const OpView& op, int axis = 0) {
  if (!is_unbacked(op.shape())) op.refuse_op(Limit::data_dependent_shape, kHelp);
  return op.shape().at(static_cast<size_t>(axis));
}

/// Where runs of equal rows of `x` begin. Which run each element is of, and how long runs are, are
/// results 1 and 2; `order` holds an order of the elements if there is one.
Ref runs(const OpView& op, Emitter& out, Ref x, const Dim& count, std::optional<Ref> order) {
  const Ref flags = begins(out, x);
  const Ref places = nonzero_indices(out, flags, count)[0];
  if (op.is_used(1)) {
    Ref run = sub(out, running_sum(out, kSum, flags, 0), number(out, 1));
    if (order) run = scatter_rows(out, sub(out, flags, flags), *order, run, {});
    finish(op, out, out.reshape(run, op.shape(1)), 1);
  }
  if (op.outputs() > 2 && op.is_used(2))
    finish(op, out, run_lengths(out, places, size_of(out, x, 0)), 2);
  return places;
}

/// Slices along an axis as rows of a matrix.
Ref matrix_of(Emitter& out, const Rows& rows) {
  Dim width = 1;
  for (size_t i = 1; i < rows.shape.size(); ++i) width = width * rows.shape[i];
  return out.reshape(rows.x, {rows.shape[0], width});
}

/// From the last column to the first, rows are sorted in the order that they have by then.
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

/// Slices, each once or the first of equal neighbours.
void distinct_slices(const OpView& op, Emitter& out, bool is_sorted) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  Rows rows = as_rows(out, x, {axis});
  std::optional<Ref> order;
  if (is_sorted) order = order_of_rows(op, out, matrix_of(out, rows));
  if (order) rows.x = take(out, rows.x, *order, 0);
  const Dim count = counted_size(op, axis);
  const Ref places = runs(op, out, matrix_of(out, rows), count, order);
  const Ref chosen = take(out, rows.x, places, 0);
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
  finish(op, out, take(out, x, runs(op, out, x, counted_size(op), {}), 0), 0);
}

/// The values are sorted in any case, as torch gives them.
void unique(const OpView& op, Emitter& out) {
  ignore_present(op, {"sorted", "return_inverse", "return_counts"}, "unused results are dropped");
  const Ref x = flattened(out, op.tensor("self"));
  const Sorted ordered = sorted(out, x, size_of(out, x, 0), 0, false);
  const Ref places = runs(op, out, ordered.values, counted_size(op), ordered.indices);
  finish(op, out, take(out, ordered.values, places, 0), 0);
}

/// One more than the largest, and not less than `least`.
Ref one_more(Emitter& out, Ref x, const Dim& least) {
  const Ref flat = flattened(out, out.cast(x, DType::i64));
  const Ref with_least =
      out.concat({flat, out.unsqueeze(out.size(least - Dim(1), DType::i64), {0})}, 0);
  const Ref largest = out.squeeze(reduce(out, "max_reduce", with_least, {0}), {0});
  return add(out, largest, number(out, 1));
}

void bincount(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), DType::i64);
  const Ref bins = counted_range(out, one_more(out, x, op.dim("minlength")), counted_size(op));
  const DType dtype = op.dtype();
  const Ref none = out.cast(sub(out, bins, bins), dtype);
  const auto weights = op.opt_tensor("weights");
  const Ref one = out.full(out.scalar(1, dtype), out.shape(x));
  const Ref rows = weights ? out.cast(*weights, dtype) : one;
  finish(op, out, scatter_rows(out, none, x, rows, {Combine::sum, true}));
}

/// The entries' positions, where entry i occurs repeats[i] times.
Ref repeated_places(Emitter& out, Ref repeats, const Dim& count) {
  const Ref times = out.cast(repeats, DType::i64);
  const Ref ends = running_sum(out, kSum, times, 0);
  const Ref total = out.squeeze(reduce(out, "sum_reduce", times, {0}), {0});
  const Ref places = counted_range(out, total, count);
  // The entry at a position is the number of entries that end at or before it.
  const Ref is_over = compare(out, "le", out.unsqueeze(ends, {0}), out.unsqueeze(places, {1}));
  return out.squeeze(reduce(out, "sum_reduce", out.cast(is_over, DType::i64), {1}), {1});
}

}  // namespace

bool is_counted(const Emitter& out, Ref repeats, const OpView& op) {
  return !out.constant_value(repeats) && is_unbacked(op.shape()) &&
         out.has(target::Feature::non_zero) && out.has(target::Feature::core_cumsum);
}

Ref counted_places(Emitter& out, Ref repeats, const Dim& entries, const Dim& count) {
  Ref each = repeats;
  if (size_of(out, repeats, 0) == Dim(1) && !(entries == Dim(1)))
    each = out.broadcast_to(repeats, {entries});
  return repeated_places(out, each, count);
}

void register_counted(Registry& r) {
  const auto add = [&](std::string_view op, std::string_view doc, Translate translate,
                       std::string_view limits = {}) {
    r.add({.op = op,
           .doc = doc,
           .variants = {{has(Feature::non_zero, Feature::core_cumsum), "tract_onnx_non_zero",
                         translate}},
           .limits = limits});
  };
  constexpr std::string_view kNanPlaces = "NaN, which tract sorts anywhere";
  add("aten::_unique", "each value once, in order, and where it is in self", unique, kNanPlaces);
  add("aten::_unique2", "each value once, in order, where it is in self, and how often", unique,
      kNanPlaces);
  add("aten::unique_consecutive", "the first of equal neighbours, where they are, and how many",
      unique_consecutive);
  add("aten::unique_dim_consecutive", "the first of equal neighbouring slices along dim",
      unique_consecutive);
  add("aten::unique_dim", "each slice along dim once, in order, where it is, and how often",
      unique_dim, kNanPlaces);
  add("aten::bincount", "how often 0, 1, ... occur, or the sum of their weights", bincount);
}

}  // namespace t2n::ops
