// SPDX-License-Identifier: Apache-2.0
// Triangular systems by substitution, and Cholesky's decomposition column by column, in f64.
#include <algorithm>
#include <optional>
#include <vector>

#include "ops/matrix/elimination.h"
#include "ops/matrix/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/product.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

constexpr int64_t kMostRows = 32;

Ref square_of(const OpView& op, Emitter& out, std::string_view name) {
  const Ref a = out.cast(op.tensor(name), DType::f64);
  const int64_t n = extent(out, a, out.rank(a) - 1);
  if (n < 1 || n > kMostRows)
    op.refuse_op(Limit::too_many_steps,
                 "use matrices of up to 32 rows, or compute it from "
                 "constants, which are folded");
  return a;
}

Ref swapped(Emitter& out, Ref x) {
  Ints order = all_axes(out.rank(x));
  std::swap(order[order.size() - 2], order.back());
  return out.transpose(x, order);
}

/// A triangle; the other side of its diagonal is not read.
struct Triangle {
  Ref a;
  bool is_upper = false;
  bool is_unit = false;  ///< its diagonal is assumed to be ones
  Triangle transposed(Emitter& out) const { return {swapped(out, a), !is_upper, is_unit}; }
};

/// X with A . X = B: substitutes each solved unknown into the remaining equations.
Ref substituted(Emitter& out, const Triangle& t, Ref b) {
  const int rank = std::max(out.rank(t.a), out.rank(b));
  const Ref a = with_rank(out, t.a, rank);
  b = with_rank(out, b, rank);
  const int64_t n = extent(out, a, rank - 1);
  std::optional<Ref> x;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t at = t.is_upper ? n - 1 - step : step;
    // No slice: tract 0.21 refuses slices of one tensor of which none begins with the first entry.
    const Ref position = out.scalar(at, DType::i64);
    const Ref is_column = compare(out, "eq", iota(out, n, rank - 1, rank), position);
    const Ref column =
        reduce(out, "sum_reduce", select(out, is_column, a, like(out, 0, a)), {rank - 1});
    const Ref is_row = compare(out, "eq", iota(out, n, rank - 2, rank), position);
    Ref y = row_where(out, b, is_row);
    if (!t.is_unit) y = div(out, y, row_where(out, column, is_row));
    x = select(out, is_row, y, x ? *x : like(out, 0, y));
    if (step + 1 < n) b = sub(out, b, mul(out, column, y));
  }
  return *x;
}

void solve_triangular(const OpView& op, Emitter& out) {
  const Triangle t{square_of(op, out, "self"), op.boolean("upper"), op.boolean("unitriangular")};
  const Ref b = out.cast(op.tensor("B"), DType::f64);
  if (op.boolean("left")) return finish(op, out, substituted(out, t, b));
  finish(op, out, swapped(out, substituted(out, t.transposed(out), swapped(out, b))));
}

void old_solve_triangular(const OpView& op, Emitter& out) {
  const Triangle t{square_of(op, out, "A"), op.boolean("upper"), op.boolean("unitriangular")};
  const Ref b = out.cast(op.tensor("self"), DType::f64);
  finish(op, out, substituted(out, op.boolean("transpose") ? t.transposed(out) : t, b), 0);
  if (op.is_used(1)) finish(op, out, op.tensor("A"), 1);
}

/// L with A = L . L^T. Only the lower triangle of A is read.
Ref lower_factor(const OpView& op, Emitter& out, Ref a) {
  const int rank = out.rank(a);
  const int64_t n = extent(out, a, rank - 1);
  std::vector<Ref> columns;
  for (int64_t j = 0; j < n; ++j) {
    Ref column = out.slice(a, rank - 1, j, j + 1);
    if (!columns.empty()) {
      const Ref done = columns.size() == 1 ? columns[0] : out.concat(columns, rank - 1);
      const Ref row = out.slice(done, rank - 2, j, j + 1);
      column = sub(out, column, product_transposed(op, out, done, row));
    }
    const Ref pivot = out.elementwise("sqrt", {out.slice(column, rank - 2, j, j + 1)});
    const Ref is_above =
        compare(out, "lt", iota(out, n, rank - 2, rank), out.scalar(j, DType::i64));
    columns.push_back(replaced(out, is_above, 0, div(out, column, pivot)));
  }
  return columns.size() == 1 ? columns[0] : out.concat(columns, rank - 1);
}

/// A matrix that is not positive definite is an error in torch; here its factor has NaN.
void cholesky(const OpView& op, Emitter& out) {
  ignore_present(op, {"check_errors"}, "there is nothing to raise");
  const bool is_upper = op.boolean("upper");
  const Ref a = square_of(op, out, "self");
  const Ref lower = lower_factor(op, out, is_upper ? swapped(out, a) : a);
  finish(op, out, is_upper ? swapped(out, lower) : lower, 0);
  if (op.outputs() > 1 && op.is_used(1))
    op.refuse_op(Limit::matrix_decomposition,
                 "do not read output 1, which reports the matrices without a factor");
}

/// X with L . L^T . X = B.
Ref solved_by_factor(const OpView& op, Emitter& out, Ref factor, Ref b) {
  const Triangle t{factor, op.boolean("upper"), false};
  const Triangle lower = t.is_upper ? t.transposed(out) : t;
  return substituted(out, lower.transposed(out), substituted(out, lower, b));
}

void cholesky_solve(const OpView& op, Emitter& out) {
  const Ref b = out.cast(op.tensor("self"), DType::f64);
  finish(op, out, solved_by_factor(op, out, square_of(op, out, "input2"), b));
}

void cholesky_inverse(const OpView& op, Emitter& out) {
  const Ref factor = square_of(op, out, "self");
  const int64_t n = extent(out, factor, out.rank(factor) - 1);
  const Ref ones = compare(out, "eq", iota(out, n, 0, 2), iota(out, n, 1, 2));
  finish(op, out, solved_by_factor(op, out, factor, out.cast(ones, DType::f64)));
}

constexpr std::string_view kRowLimit = "computed matrices of more than 32 rows";

/// One system per matrix; leading axes broadcast.
Shape solution_shape(const ShapeView& op, const Shape& a, const Shape& b) {
  op.unified(a.back(), b.at(b.size() - 2));
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  for (const Dim& dim : last_dims(b, 2)) out.push_back(dim);
  return out;
}

Shapes solve_triangular_shapes(const ShapeView& op) {
  Shape a = op.shape("self"), b = op.shape("B");
  if (op.boolean("left", true)) return {solution_shape(op, a, b)};
  std::swap(b[b.size() - 2], b.back());
  Shape out = solution_shape(op, a, b);
  std::swap(out[out.size() - 2], out.back());
  return {out};
}

Shapes old_solve_triangular_shapes(const ShapeView& op) {
  const Shape& a = op.shape("A");
  const Shape out = solution_shape(op, a, op.shape("self"));
  Shape copy = all_but_last(out, 2);
  for (const Dim& dim : last_dims(a, 2)) copy.push_back(dim);
  return {out, copy};
}

Shapes cholesky_solve_shapes(const ShapeView& op) {
  return {solution_shape(op, op.shape("input2"), op.shape("self"))};
}

}  // namespace

void register_triangular(Registry& r) {
  r.same({"aten::linalg_solve_triangular"},
         {"matmul", "x with A . x = B, row by row", solve_triangular, {}, kRowLimit});
  r.same({"aten::triangular_solve"},
         {"matmul", "x with A . x = self, row by row", old_solve_triangular, {}, kRowLimit});
  r.same({"aten::cholesky", "aten::linalg_cholesky", "aten::linalg_cholesky_ex"},
         {"matmul", "L with A = L . L^T, column by column", cholesky, {}, kRowLimit});
  r.same({"aten::cholesky_solve"},
         {"matmul", "x with L . L^T . x = self", cholesky_solve, {}, kRowLimit});
  r.same({"aten::cholesky_inverse"},
         {"matmul", "the inverse of L . L^T", cholesky_inverse, {}, kRowLimit});
  r.shapes(shapes::same, "cholesky linalg_cholesky cholesky_inverse");
  r.shapes(inverse_with_info_shapes, "linalg_cholesky_ex");
  r.shapes(solve_triangular_shapes, "linalg_solve_triangular");
  r.shapes(old_solve_triangular_shapes, "triangular_solve");
  r.shapes(cholesky_solve_shapes, "cholesky_solve");
}

}  // namespace t2n::ops
