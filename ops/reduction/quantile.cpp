// SPDX-License-Identifier: Apache-2.0
// Order statistics: quantiles, medians that ignore NaN, and the most frequent element.
#include <cmath>

#include "ops/pointwise/special.h"
#include "ops/reduction/families.h"
#include "ops/structure/index.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// The axis of the quantiles: `dim`, or the only axis of all elements.
struct Along {
  Ref x;
  int axis;
};

Along quantile_axis(const OpView& op, Emitter& out) {
  op.ignore("keepdim", "the result's shape shows it");
  const Ref self = widened(out, op.tensor("self"));
  if (op.is_none("dim")) return {flattened(out, self), 0};
  const Ref x = at_least_1d(out, self);
  return {x, op.axis("dim", out.rank(x))};
}

/// The rank of a quantile, rounded as `mode` requires.
double rounded_rank(double rank, std::string_view mode) {
  if (mode == "lower") return std::floor(rank);
  if (mode == "higher") return std::ceil(rank);
  return mode == "nearest" ? std::nearbyint(rank) : rank;
}

bool interpolates(std::string_view mode) { return mode == "linear" || mode == "midpoint"; }

/// Interpolates between the elements at adjacent positions; NaN if one is infinite, as in torch.
Ref mixed(Emitter& out, Ref below, Ref above, Ref weight) {
  const Ref step = sub(out, above, below);
  const Ref rest = sub(out, like(out, 1, weight), weight);
  return select(out, is_below(out, weight, 0.5), add(out, below, mul(out, weight, step)),
                sub(out, above, mul(out, step, rest)));
}

/// Torch computes positions in the dtype of the elements, which affects ties.
double in_dtype(double value, DType dtype) {
  return dtype == DType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

Ref known_quantiles(Emitter& out, const Along& a, Ref sorted, const std::vector<double>& q,
                    std::string_view mode) {
  const DType dtype = out.dtype(a.x);
  const auto last = static_cast<double>(extent(out, a.x, a.axis) - 1);
  std::vector<int64_t> below, above;
  std::vector<double> weights;
  for (const double one : q) {
    const double exact = in_dtype(in_dtype(one, dtype) * last, dtype);
    const double rank = rounded_rank(exact, mode);
    below.push_back(static_cast<int64_t>(std::floor(rank)));
    above.push_back(static_cast<int64_t>(std::ceil(rank)));
    weights.push_back(mode == "midpoint" ? 0.5 : in_dtype(rank - std::floor(rank), dtype));
  }
  const Ref low = take(out, sorted, below, a.axis);
  if (!interpolates(mode)) return low;
  // tract takes a product with zeros for zeros.
  if (below == above) return add(out, low, sub(out, low, low));
  Ints shape(static_cast<size_t>(out.rank(a.x)), 1);
  shape[a.axis] = static_cast<int64_t>(q.size());
  const Ref weight =
      out.cast(out.constant(ir::tensor_of(DType::f64, shape, weights), "weights"), dtype);
  return mixed(out, low, take(out, sorted, above, a.axis), weight);
}

Ref elements_at(Emitter& out, Ref x, Ref position, int axis) {
  const Ref index = out.cast(position, DType::i64);
  return out.call("tract_core_gather_elements", {x, index}, {{"axis", axis}}, out.dtype(x),
                  out.shape(index));
}

Ref rounded_computed_rank(Emitter& out, Ref rank, std::string_view mode) {
  if (mode == "lower") return out.elementwise("floor", {rank});
  if (mode == "higher") return out.elementwise("ceil", {rank});
  if (mode != "nearest") return rank;
  const bool is_f64 = out.dtype(rank) == DType::f64;
  return out.elementwise(is_f64 ? "t2n_round_even" : "tract_core_round_even", {rank});
}

/// Quantiles along an axis of symbolic size, at positions that the model computes.
Ref symbolic_quantiles(Emitter& out, const Along& a, Ref sorted, const std::vector<double>& q,
                       std::string_view mode) {
  const DType dtype = out.dtype(a.x);
  const Ref last = out.size(size_of(out, a.x, a.axis) - Dim(1), dtype);
  Ints shape(static_cast<size_t>(out.rank(a.x)), 1);
  shape[a.axis] = static_cast<int64_t>(q.size());
  const Ref quantiles = out.cast(out.constant(ir::tensor_of(DType::f64, shape, q), "q"), dtype);
  const Ref rank = rounded_computed_rank(out, mul(out, quantiles, last), mode);
  const Ref floor = out.elementwise("floor", {rank});
  const auto entries = [&](Ref position) {
    const Ref index =
        out.reshape(out.cast(position, DType::i64), {Dim(static_cast<int64_t>(q.size()))});
    return take(out, sorted, index, a.axis);
  };
  const Ref low = entries(floor);
  if (!interpolates(mode)) return low;
  const Ref weight = mode == "midpoint" ? like(out, 0.5, rank) : sub(out, rank, floor);
  return mixed(out, low, entries(out.elementwise("ceil", {rank})), weight);
}

/// The number of elements along the axis that are not NaN, in the dtype of x.
Ref count_of_numbers(Emitter& out, const Along& a) {
  const Ref is_number = out.cast(logical_not(out, is_nan(out, a.x)), out.dtype(a.x));
  return reduce(out, "sum_reduce", is_number, {a.axis});
}

/// Sorted, with NaN at the end as infinity.
Sorted sorted_numbers(Emitter& out, const Along& a) {
  const Ref filled = replaced(out, is_nan(out, a.x), kInfinity, a.x);
  return sorted(out, filled, size_of(out, a.x, a.axis), a.axis, false);
}

/// Each row has its own positions. A row with only NaN gives NaN.
Ref quantiles_of_numbers(Emitter& out, const Along& a, const std::vector<double>& q,
                         std::string_view mode) {
  const Ref sorted = sorted_numbers(out, a).values;
  const Ref count = count_of_numbers(out, a);
  const Ref last = maximum(out, plus(out, count, -1), like(out, 0, count));
  const DType dtype = out.dtype(a.x);
  std::vector<Ref> parts;
  for (const double one : q) {
    const Ref rank = rounded_computed_rank(out, times(out, last, in_dtype(one, dtype)), mode);
    const Ref floor = out.elementwise("floor", {rank});
    const Ref low = elements_at(out, sorted, floor, a.axis);
    Ref value = low;
    if (interpolates(mode)) {
      const Ref high = elements_at(out, sorted, out.elementwise("ceil", {rank}), a.axis);
      const Ref weight = mode == "midpoint" ? like(out, 0.5, rank) : sub(out, rank, floor);
      value = mixed(out, low, high, weight);
    }
    parts.push_back(replaced(out, is_below(out, count, 1), kNan, value));
  }
  return parts.size() == 1 ? parts[0] : out.concat(parts, a.axis);
}

std::vector<double> read_quantiles(const OpView& op) {
  if (!op.is_tensor("q")) return {op.f64("q")};
  const ir::Tensor known = op.constant("q");
  std::vector<double> q;
  for (int64_t i = 0; i < known.elements(); ++i) q.push_back(ir::element_f64(known, i));
  return q;
}

/// Several quantiles form the first axis of the result.
void finish_quantiles(const OpView& op, Emitter& out, Ref y, const Along& a) {
  finish(op, out, out.reshape(out.transpose(y, axis_to_front(a.axis, out.rank(y))), op.shape()));
}

/// op.nnef() is "select" if NaN is ignored; else a NaN makes the quantiles NaN.
void quantile(const OpView& op, Emitter& out) {
  const Along a = quantile_axis(op, out);
  const std::string mode =
      op.one_of("interpolation", {"linear", "lower", "higher", "midpoint", "nearest"});
  const std::vector<double> q = read_quantiles(op);
  if (op.nnef() == "select")
    return finish_quantiles(op, out, quantiles_of_numbers(out, a, q, mode), a);
  const Ref sorted = sorted_numbers(out, a).values;
  const Ref is_absent = reduce(out, "max_reduce", is_nan(out, a.x), {a.axis});
  const bool is_known = size_of(out, a.x, a.axis).is_constant();
  const Ref y = is_known ? known_quantiles(out, a, sorted, q, mode)
                         : symbolic_quantiles(out, a, sorted, q, mode);
  finish_quantiles(op, out, replaced(out, is_absent, kNan, y), a);
}

/// The position of the lower middle number.
Ref middle(Emitter& out, Ref count) {
  const Ref half = out.elementwise("floor", {times(out, plus(out, count, -1), 0.5)});
  return maximum(out, half, like(out, 0, half));
}

void nanmedian(const OpView& op, Emitter& out) {
  const Ref x = flattened(out, op.tensor("self"));
  if (size_of(out, x, 0) == Dim(0)) return finish(op, out, like(out, kNan, x));
  const Along a{ir::is_float(out.dtype(x)) ? x : out.cast(x, DType::f64), 0};
  const Ref count = count_of_numbers(out, a);
  const Ref y = elements_at(out, sorted_numbers(out, a).values, middle(out, count), 0);
  finish(op, out, out.reshape(replaced(out, is_below(out, count, 1), kNan, y), op.shape()));
}

void nanmedian_dim(const OpView& op, Emitter& out) {
  op.ignore("keepdim", "the result's shape shows it");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const Along a{ir::is_float(out.dtype(x)) ? x : out.cast(x, DType::f64), op.axis("dim")};
  const Ref count = count_of_numbers(out, a);
  const Sorted numbers = sorted_numbers(out, a);
  const Ref position = middle(out, count);
  const Ref y = elements_at(out, numbers.values, position, a.axis);
  finish(op, out, out.reshape(replaced(out, is_below(out, count, 1), kNan, y), op.shape(0)), 0);
  if (op.is_used(1))
    finish(op, out, out.reshape(elements_at(out, numbers.indices, position, a.axis), op.shape(1)),
           1);
}

/// Counts the equals of each element; the result is the smallest of the most frequent ones.
void mode(const OpView& op, Emitter& out) {
  op.ignore("keepdim", "the result's shape shows it");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dim");
  if (op.is_used(1)) op.refuse_op(Limit::unspecified_choice, "use the values only");
  const Ref is_same = compare(out, "eq", out.unsqueeze(x, {axis}), out.unsqueeze(x, {axis + 1}));
  const Ref counts =
      out.squeeze(reduce(out, "sum_reduce", out.cast(is_same, DType::f32), {axis + 1}), {axis + 1});
  const Ref is_most = compare(out, "eq", counts, reduce(out, "max_reduce", counts, {axis}));
  const Ref others = reduce(out, "max_reduce", x, {axis});
  const Ref y = reduce(out, "min_reduce", select(out, is_most, x, others), {axis});
  finish(op, out, out.reshape(y, op.shape(0)), 0);
}

/// One result for each q, on a first axis.
Shapes quantile_shapes(const ShapeView& op) {
  Shape out = op.is_tensor("q") ? op.shape("q") : Shape();
  for (const Dim& dim : shapes::reduced(op)) out.push_back(dim);
  return {out};
}

}  // namespace

void register_quantile(Registry& r) {
  r.same({"aten::quantile", "aten::quantile.scalar"},
         {"tract_core_topk",
          "the sorted elements along dim at position q * (n - 1), interpolated",
          quantile,
          {},
          "q that the model computes"});
  r.same({"aten::nanquantile", "aten::nanquantile.scalar"},
         {"select",
          "the same among the elements that are not NaN",
          quantile,
          {},
          "q that the model computes"});
  r.same({"aten::nanmedian"},
         {"tract_core_topk", "the lower median of the elements that are not NaN", nanmedian});
  r.same({"aten::nanmedian.dim"},
         {"tract_core_topk", "the lower median along dim of the elements that are not NaN",
          nanmedian_dim});
  r.same({"aten::mode"},
         {"max_reduce", "the most frequent element along dim", mode, {}, "its indices"});
  r.shapes(shapes::reduce, "mode nanmedian");
  r.shapes(quantile_shapes, "quantile nanquantile");
  r.bounds({bounds::kept, false, true}, "nanmedian mode");
}

}  // namespace t2n::ops
