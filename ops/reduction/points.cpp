// SPDX-License-Identifier: Apache-2.0
// Sequences of points: integrals, powers, distances between rows, counts in bins.
#include <numeric>

#include "ops/pointwise/special.h"
#include "ops/reduction/families.h"
#include "ops/reduction/reduce.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

constexpr int64_t kMostPowers = 64;

struct Neighbours {
  Ref left, right;
};

/// The elements along `axis` without the last, and without the first. At least two.
Neighbours neighbours(Emitter& out, Ref x, int axis) {
  const Dim n = out.shape(x).at(axis);
  return {out.slice(x, axis, 0, n - Dim(1)), out.slice(x, axis, 1, n)};
}

/// Distances of points x, in the dtype of y and shaped to broadcast with its neighbours.
Ref distances(const OpView& op, Emitter& out, int axis, int rank, DType dtype) {
  Ref x = out.cast(op.tensor("x"), dtype);
  if (out.rank(x) == 1) {
    Shape shape(static_cast<size_t>(rank), Dim(1));
    shape[axis] = out.shape(x)[0];
    x = out.reshape(x, shape);
  }
  x = with_rank(out, x, rank);
  const auto [left, right] = neighbours(out, x, axis);
  return sub(out, right, left);
}

/// (y[i] + y[i + 1]) / 2 times the distance between both; nothing for fewer than two points.
std::optional<Ref> areas(const OpView& op, Emitter& out, int axis) {
  const Ref y = widened(out, out.cast(op.tensor("y"), op.dtype()));
  const Dim& points = out.shape(y).at(axis);
  if (points.is_constant() && points.value() < 2) {
    op.ignore(op.has_argument("x") ? "x" : "dx", "there is no distance");
    return {};
  }
  const auto [left, right] = neighbours(out, y, axis);
  const Ref sum = add(out, left, right);
  if (!op.has_argument("x")) return times(out, sum, op.f64("dx") / 2);
  return times(out, mul(out, sum, distances(op, out, axis, out.rank(y), out.dtype(y))), 0.5);
}

int dim_of_y(const OpView& op, const Emitter& out) {
  return op.axis("dim", out.rank(op.tensor("y")));
}

void finish_empty(const OpView& op, Emitter& out) {
  out.result(out.full(out.scalar(0.0, op.dtype()), op.shape()));
}

void trapezoid(const OpView& op, Emitter& out) {
  const int axis = dim_of_y(op, out);
  const auto parts = areas(op, out, axis);
  if (!parts) return finish_empty(op, out);
  finish(op, out, out.squeeze(reduce(out, "sum_reduce", *parts, {axis}), {axis}));
}

void cumulative_trapezoid(const OpView& op, Emitter& out) {
  const int axis = dim_of_y(op, out);
  const auto parts = areas(op, out, axis);
  if (!parts) return finish_empty(op, out);
  finish(op, out, running_sum(out, op.nnef(), *parts, axis));
}

/// The powers of x from 0 on, along a new last axis.
void vander(const OpView& op, Emitter& out) {
  op.ignore("N", "the result's shape shows it");
  const bool falls = op.has_argument("increasing") && !op.boolean("increasing");
  const Ref x = at_least_1d(out, out.cast(op.tensor("x"), op.dtype()));
  const int last = out.rank(x);
  const int64_t count =
      op.shape().back().is_constant() ? op.shape().back().value() : op.sizes().back();
  if (count > kMostPowers) op.refuse("N", Limit::too_many_steps, cat("use N up to ", kMostPowers));
  const Ref column = out.unsqueeze(x, {last});
  std::vector<Ref> powers = {out.full(like(out, 1, x), out.shape(column))};
  while (static_cast<int64_t>(powers.size()) < count)
    powers.push_back(powers.size() == 1 ? column : mul(out, powers.back(), column));
  powers.resize(count);
  if (falls) powers = {powers.rbegin(), powers.rend()};
  out.result(powers.size() == 1 ? powers[0] : out.concat(powers, last));
}

/// Each pair of rows once: (0, 1), (0, 2), … (1, 2), …
void pdist(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const double p = op.f64("p");
  const int64_t n = extent(out, x, 0);
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  if (first.empty()) return finish_empty(op, out);
  const Ref d = sub(out, take(out, x, first, 0), take(out, x, second, 0));
  finish(op, out, out.squeeze(vector_norm(out, d, p, {1}), {1}));
}

struct BinRange {
  Ref low, high;
};

/// Equal limits mean the limits of the data; if those are equal too, 1 is added on both sides.
BinRange bin_range(const OpView& op, Emitter& out, Ref x) {
  const double min = op.f64("min"), max = op.f64("max");
  if (min != max) return {like(out, min, x), like(out, max, x)};
  const Ref low = reduce(out, "min_reduce", x, {0}), high = reduce(out, "max_reduce", x, {0});
  const Ref is_flat = compare(out, "eq", low, high);
  return {select(out, is_flat, plus(out, low, -1), low),
          select(out, is_flat, plus(out, high, 1), high)};
}

void histc(const OpView& op, Emitter& out) {
  const Ref x = widened(out, flattened(out, op.tensor("self")));
  const int64_t bins = op.i64("bins");
  if (out.shape(x)[0] == Dim(0)) {
    ignore_present(op, {"min", "max"}, "there is nothing to count");
    return finish(op, out, out.full(like(out, 0, x), {bins}));
  }
  const auto [low, high] = bin_range(op, out, x);
  const Ref scaled = times(out, sub(out, x, low), static_cast<double>(bins));
  const Ref position = out.elementwise("floor", {exact_quotient(out, scaled, sub(out, high, low))});
  const Ref bin = capped(out, position, static_cast<double>(bins - 1));
  const Ref is_inside = logical_and(out, compare(out, "ge", x, low), compare(out, "le", x, high));
  const Ref number = out.cast(iota(out, bins, 0, 2), out.dtype(x));
  const Ref is_in_bin = logical_and(out, compare(out, "eq", out.unsqueeze(bin, {0}), number),
                                    out.unsqueeze(is_inside, {0}));
  const Ref counts = reduce(out, "sum_reduce", out.cast(is_in_bin, out.dtype(x)), {1});
  finish(op, out, out.squeeze(counts, {1}));
}

void register_integrals(Registry& r) {
  r.same({"aten::trapezoid.x", "aten::trapezoid.dx", "aten::trapz.x", "aten::trapz.dx"},
         {"sum_reduce", "sum of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i]) along dim", trapezoid});
  r.add({.op = "aten::cumulative_trapezoid.x",
         .also = {"aten::cumulative_trapezoid.dx"},
         .doc = "running sums of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i]) along dim",
         .variants = {{has(Feature::core_cumsum), "tract_core_cumsum", cumulative_trapezoid},
                      {any_target(), "matmul", cumulative_trapezoid}}});
}

Shapes vander_shapes(const ShapeView& op) {
  Shape out = op.shape("x");
  out.push_back(op.has("N") ? op.dim("N") : out.back());
  return {out};
}

Shapes pdist_shapes(const ShapeView& op) {
  const Dim rows = op.first().at(0);
  return {{floor_div(rows * (rows - 1), 2)}};
}

Shapes histogram_shapes(const ShapeView& op) { return {{op.dim("bins")}}; }

/// A one-dimensional x runs along `dim`, which must not be empty.
Shape point_shape(const ShapeView& op) {
  const Shape& y = op.shape("y");
  const bool is_one = !op.is_tensor("x") || op.shape("x").size() < 2;
  const Shape out = is_one ? y : op.broadcast(y, op.shape("x"));
  const Dim& size = out.at(op.axis("dim", dim_rank(out)));
  if (!size.is_constant()) op.require(size, Relation::ge, 1);
  return out;
}

Shapes trapezoid_shapes(const ShapeView& op) {
  const Shape y = point_shape(op);
  return {without(y, {op.axis("dim", dim_rank(y))}, false)};
}

Shapes cumulative_trapezoid_shapes(const ShapeView& op) {
  const Shape y = point_shape(op);
  const int axis = op.axis("dim", dim_rank(y));
  return {with_dim(y, axis, y.at(axis) - 1)};
}

}  // namespace

void register_points(Registry& r) {
  register_integrals(r);
  r.same({"aten::vander", "aten::linalg_vander"},
         {"concat", "powers of x along a new last axis", vander, {}, "more than 64 powers"});
  r.same({"aten::pdist", "aten::_pdist_forward"},
         {"sum_reduce", "p-norms of the differences of all pairs of rows", pdist});
  r.same({"aten::histc"},
         {"sum_reduce", "the number of elements in each of `bins` equal parts of min..max", histc});
  r.shapes(vander_shapes, "vander linalg_vander");
  r.shapes(pdist_shapes, "pdist _pdist_forward");
  r.shapes(histogram_shapes, "histc");
  r.shapes(trapezoid_shapes, "trapezoid trapz");
  r.shapes(cumulative_trapezoid_shapes, "cumulative_trapezoid");
}

}  // namespace t2n::ops
