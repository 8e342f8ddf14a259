// Results whose size depends on the operands' values: distinct values, counts, repetitions.
#include "ops/index.h"
#include "ops/positions.h"
#include "ops/reduce.h"
#include "ops/scatter.h"
#include "src/diag/error.h"
#include "src/translate/births.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

constexpr const char* kHelp = "compute it outside the model, or use torch.where with a mask";
constexpr const char* kSum = "tract_core_cumsum";

Ref number(Emitter& out, int64_t value) { return out.scalar(value, DType::i64); }

/// Ones where a one-dimensional `x` differs from the element before; one for the first element.
Ref begins(Emitter& out, Ref x) {
  const Ref places = iota(out, out.shape(x)[0], 0, 1);
  const Ref before =
      take(out, x, maximum(out, sub(out, places, number(out, 1)), number(out, 0)), 0);
  const Ref is_first = out.cast(compare(out, "eq", places, number(out, 0)), DType::i64);
  const Ref differs = out.cast(compare(out, "ne", x, before), DType::i64);
  return maximum(out, is_first, differs);
}

/// The distance from each position to the next, or to the end.
Ref distances(Emitter& out, Ref places, const Dim& size) {
  const Ref all = out.concat({places, out.unsqueeze(out.size(size, DType::i64), {0})}, 0);
  const Dim& count = size_of(out, places, 0);
  const Ref next = take(out, all, add(out, iota(out, count, 0, 1), number(out, 1)), 0);
  return sub(out, next, places);
}

/// The number of distinct values, which is a symbol; refused if it has none.
Dim count_of(const OpView& op) {
  if (!is_born(op.shape())) op.refuse_op(Limit::data_dependent_shape, kHelp);
  return op.shape()[0];
}

/// Runs of equal values, in the order of elements that `order` gives, if there is one.
void runs(const OpView& op, Emitter& out, Ref x, std::optional<Ref> order) {
  const Ref flags = begins(out, x);
  const Ref places = nonzero_places(out, flags, count_of(op))[0];
  finish(op, out, take(out, x, places, 0), 0);
  if (op.is_used(1)) {
    Ref run = sub(out, running_sum(out, kSum, flags, 0), number(out, 1));
    if (order) run = scatter_rows(out, sub(out, flags, flags), *order, run, {});
    finish(op, out, out.reshape(run, op.shape(1)), 1);
  }
  if (op.outputs() > 2 && op.is_used(2))
    finish(op, out, distances(out, places, size_of(out, x, 0)), 2);
}

void unique_consecutive(const OpView& op, Emitter& out) {
  if (!op.is_none("dim")) op.refuse("dim", Limit::data_dependent_shape, kHelp);
  ignore_present(op, {"return_inverse", "return_counts"}, "unused results are dropped");
  runs(op, out, flattened(out, op.tensor("self")), {});
}

/// The values are sorted in any case, as torch gives them.
void unique(const OpView& op, Emitter& out) {
  ignore_present(op, {"sorted", "return_inverse", "return_counts"}, "unused results are dropped");
  const Ref x = flattened(out, op.tensor("self"));
  const Sorted ordered = sorted(out, x, size_of(out, x, 0), 0, false);
  runs(op, out, ordered.values, ordered.indices);
}

/// One more than the largest, and not less than `least`.
Ref one_more(Emitter& out, Ref x, int64_t least) {
  const Ref flat = flattened(out, out.cast(x, DType::i64));
  const Ref with_least =
      out.concat({flat, out.unsqueeze(out.scalar(least - 1, DType::i64), {0})}, 0);
  const Ref largest = out.squeeze(reduce(out, "max_reduce", with_least, {0}), {0});
  return add(out, largest, number(out, 1));
}

void bincount(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), DType::i64);
  const Ref bins = counted_range(out, one_more(out, x, op.i64("minlength")), count_of(op));
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
  return !out.constant_value(repeats) && is_born(op.shape()) &&
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
  constexpr std::string_view kNan = "NaN, which tract sorts anywhere";
  add("aten::_unique", "each value once, in order, and where it is in self", unique, kNan);
  add("aten::_unique2", "each value once, in order, where it is in self, and how often", unique,
      kNan);
  add("aten::unique_consecutive", "the first of equal neighbours, where they are, and how many",
      unique_consecutive);
  add("aten::bincount", "how often 0, 1, ... occur, or the sum of their weights", bincount);
}

}  // namespace t2n::ops
