// SPDX-License-Identifier: Apache-2.0
// Algebra of single matrices: closed forms up to 3 x 3, elimination of larger ones, covariances,
// and the decompositions that tract lacks.
#include <algorithm>

#include "ops/matrix/elimination.h"
#include "ops/matrix/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/diagonal.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Square matrices in the last two axes, entry by entry, in f64: closed forms cancel. They are used
/// up to 3 x 3, elimination above.
struct Matrix {
  Ref x;
  int64_t n;
  int rank;
  bool has_closed_form() const { return n <= 3; }
};

Matrix read_matrix(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor(op.has_argument("A") ? "A" : "self"), DType::f64);
  const int rank = out.rank(x);
  const int64_t n = extent(out, x, rank - 1);
  if (n < 1 || n > kMostUnknowns)
    op.refuse_op(
        Limit::matrix_decomposition,
        "elimination supports matrices of up to 16 x 16: compute it outside the model, or from "
        "constants, which are folded");
  return {x, n, rank};
}

/// [..., 1, 1]
Ref entry(Emitter& out, const Matrix& m, int64_t row, int64_t column) {
  const Ref line = out.slice(m.x, m.rank - 2, row, row + 1);
  return out.slice(line, m.rank - 1, column, column + 1);
}

/// The determinant without a row and a column, with its sign. Indices wrap around, which gives the
/// right sign for 3 x 3.
Ref cofactor(Emitter& out, const Matrix& m, int64_t row, int64_t column) {
  if (m.n == 1) return out.full(out.scalar(1.0, DType::f64), out.shape(entry(out, m, 0, 0)));
  if (m.n == 2) {
    const Ref other = entry(out, m, 1 - row, 1 - column);
    return row == column ? other : neg(out, other);
  }
  const auto at = [&](int64_t i, int64_t j) {
    return entry(out, m, (row + i) % 3, (column + j) % 3);
  };
  return sub(out, mul(out, at(1, 1), at(2, 2)), mul(out, at(1, 2), at(2, 1)));
}

Ref determinant(Emitter& out, const Matrix& m) {
  if (!m.has_closed_form()) return determinant_by_elimination(out, m.x);
  Ref sum = mul(out, entry(out, m, 0, 0), cofactor(out, m, 0, 0));
  for (int64_t j = 1; j < m.n; ++j)
    sum = add(out, sum, mul(out, entry(out, m, 0, j), cofactor(out, m, 0, j)));
  return sum;
}

Ref without_matrix_axes(Emitter& out, const Matrix& m, Ref x) {
  return out.squeeze(x, {m.rank - 2, m.rank - 1});
}

/// The transposed cofactors over the determinant.
Ref inverse_of(Emitter& out, const Matrix& m) {
  if (!m.has_closed_form()) {
    const Ref ones = compare(out, "eq", iota(out, m.n, 0, 2), iota(out, m.n, 1, 2));
    return eliminated(out, m.x, out.cast(ones, DType::f64));
  }
  std::vector<Ref> rows;
  for (int64_t i = 0; i < m.n; ++i) {
    std::vector<Ref> row;
    for (int64_t j = 0; j < m.n; ++j) row.push_back(cofactor(out, m, j, i));
    rows.push_back(row.size() == 1 ? row[0] : out.concat(row, m.rank - 1));
  }
  const Ref adjugate = rows.size() == 1 ? rows[0] : out.concat(rows, m.rank - 2);
  return div(out, adjugate, determinant(out, m));
}

void det(const OpView& op, Emitter& out) {
  const Matrix m = read_matrix(op, out);
  finish(op, out, without_matrix_axes(out, m, determinant(out, m)));
}

void logdet(const OpView& op, Emitter& out) {
  const Matrix m = read_matrix(op, out);
  const Ref d = without_matrix_axes(out, m, determinant(out, m));
  finish(op, out, out.elementwise("log", {d}));
}

void slogdet(const OpView& op, Emitter& out) {
  const Matrix m = read_matrix(op, out);
  const Ref d = without_matrix_axes(out, m, determinant(out, m));
  const Ref is_negative = is_below(out, d, 0);
  const Ref sign = replaced(out, compare(out, "eq", d, like(out, 0, d)), 0,
                            select(out, is_negative, like(out, -1, d), like(out, 1, d)));
  finish(op, out, sign, 0);
  finish(op, out, out.elementwise("log", {magnitude(out, d)}), 1);
}

/// A singular matrix is an error in torch; here its inverse is infinite.
void invert(const OpView& op, Emitter& out) {
  ignore_present(op, {"check_errors"}, "there is nothing to raise");
  finish(op, out, inverse_of(out, read_matrix(op, out)));
  if (op.outputs() > 1 && op.is_used(1))
    op.refuse_op(Limit::matrix_decomposition,
                 "do not read output 1, which reports the singular matrices");
}

/// B holds vectors if it has the shape of A without its last axis, or one axis.
bool is_vector(const Shape& a, const Shape& b) {
  return b.size() == 1 || (b.size() + 1 == a.size() && std::equal(b.begin(), b.end(), a.begin()));
}

Ref solution(const OpView& op, Emitter& out, const Matrix& m, Ref b, bool is_left) {
  if (m.has_closed_form()) {
    const Ref inverse = inverse_of(out, m);
    return is_left ? product(op, out, inverse, b) : product(op, out, b, inverse);
  }
  if (is_left) return eliminated(out, m.x, b);
  const auto swapped = [&](Ref x) {
    Ints order = all_axes(out.rank(x));
    std::swap(order[order.size() - 2], order.back());
    return out.transpose(x, order);
  };
  return swapped(eliminated(out, swapped(m.x), swapped(b)));
}

void solve(const OpView& op, Emitter& out) {
  const Matrix m = read_matrix(op, out);
  const bool is_left = op.boolean("left");
  Ref b = out.cast(op.tensor("B"), DType::f64);
  const bool is_column = is_left && is_vector(out.shape(m.x), out.shape(b));
  if (is_column) b = out.unsqueeze(b, {out.rank(b)});
  const Ref y = solution(op, out, m, b, is_left);
  finish(op, out, is_column ? out.squeeze(y, {out.rank(y) - 1}) : y);
}

void trace(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ref entries = out.cast(diagonal_of(out, x, 0, 1), op.dtype());
  finish(op, out, out.squeeze(reduce(out, "sum_reduce", entries, {0}), {0}));
}

/// Rows are variables, columns observations; a vector is one variable.
Ref observations(const OpView& op, Emitter& out) {
  const Ref x = widened(out, out.cast(op.tensor("self"), op.dtype()));
  if (out.rank(x) >= 2) return x;
  return out.reshape(x, {Dim(1), out.rank(x) == 0 ? Dim(1) : out.shape(x)[0]});
}

Ref covariance(const OpView& op, Emitter& out, Ref x, double removed) {
  const Dim& count = size_of(out, x, 1);
  const Ref centred = sub(out, x, reduce(out, "mean_reduce", x, {1}));
  const Ref products = product_transposed(op, out, centred, centred);
  if (count.is_constant())
    return div(out, products,
               like(out, std::max(0.0, static_cast<double>(count.value()) - removed), x));
  const Ref freedom = plus(out, out.size(count, out.dtype(x)), -removed);
  return div(out, products, maximum(out, freedom, like(out, 0, freedom)));
}

/// One weight per observation, [1, N]: its count, and its importance.
struct ObservationWeights {
  Ref both;
  std::optional<Ref> amount;
};

std::optional<ObservationWeights> read_observation_weights(const OpView& op, Emitter& out, Ref x) {
  const auto row = [&](std::string_view name) -> std::optional<Ref> {
    const auto weights = op.opt_tensor(name);
    if (!weights) return {};
    return out.reshape(out.cast(*weights, out.dtype(x)), {Dim(1), out.shape(x)[1]});
  };
  const auto times = row("fweights"), amount = row("aweights");
  if (times && amount) return ObservationWeights{mul(out, *times, *amount), amount};
  if (times) return ObservationWeights{*times, {}};
  if (amount) return ObservationWeights{*amount, amount};
  return {};
}

/// Products of weighted deviations from the weighted mean, divided by the sum of the weights minus
/// its correction.
Ref weighted_covariance(const OpView& op, Emitter& out, Ref x, const ObservationWeights& w,
                        double removed) {
  const auto sum = [&](Ref y) { return reduce(out, "sum_reduce", y, {1}); };
  const Ref all = sum(w.both);
  const Ref centred = sub(out, x, div(out, sum(mul(out, x, w.both)), all));
  const Ref products = product_transposed(op, out, centred, mul(out, centred, w.both));
  Ref less = like(out, removed, x);
  if (w.amount) less = mul(out, less, div(out, sum(mul(out, w.both, *w.amount)), all));
  const Ref factor = removed == 0 ? all : sub(out, all, less);
  return div(out, products, maximum(out, factor, like(out, 0, x)));
}

void cov(const OpView& op, Emitter& out) {
  const double removed = op.f64("correction");
  const Ref x = observations(op, out);
  const auto weights = read_observation_weights(op, out, x);
  const Ref c = weights ? weighted_covariance(op, out, x, *weights, removed)
                        : covariance(op, out, x, removed);
  finish(op, out, out.reshape(c, op.shape()));
}

/// Covariances over both standard deviations, kept in -1..1.
void corrcoef(const OpView& op, Emitter& out) {
  const Ref c = covariance(op, out, observations(op, out), 1);
  const Ref variances = diagonal_of(out, c, 0, 1);
  const Ref deviations = out.elementwise("sqrt", {variances});
  const Ref y =
      div(out, div(out, c, out.unsqueeze(deviations, {1})), out.unsqueeze(deviations, {0}));
  const Ref bounded = replaced(out, is_below(out, y, -1), -1, capped(out, y, 1));
  finish(op, out, out.reshape(bounded, op.shape()));
}

void register_closed_forms(Registry& r) {
  r.same({"aten::det", "aten::linalg_det"},
         {"mul", "determinant", det, {}, "computed matrices larger than 16 x 16"});
  r.same({"aten::logdet"},
         {"log", "log of the determinant", logdet, {}, "computed matrices larger than 16 x 16"});
  r.same({"aten::slogdet", "aten::linalg_slogdet"}, {"log",
                                                     "sign of the determinant, and log of its size",
                                                     slogdet,
                                                     {},
                                                     "computed matrices larger than 16 x 16"});
  r.same({"aten::inverse", "aten::linalg_inv", "aten::linalg_inv_ex"},
         {"div", "inverse matrix", invert, {}, "computed matrices larger than 16 x 16"});
  r.same({"aten::linalg_solve"},
         {"matmul", "x with A . x = B", solve, {}, "computed matrices larger than 16 x 16"});
}

/// One number for each matrix.
Shapes per_matrix_shapes(const ShapeView& op) { return repeated(op, all_but_last(op.first(), 2)); }

/// B holds vectors if it has the batch of A without columns, or is one vector.
Shapes linalg_solve_shapes(const ShapeView& op) {
  const Shape &a = op.shape("A"), &b = op.shape("B");
  const bool is_vector = b.size() == 1 || b == all_but_last(a, 1);
  if (is_vector) return {op.broadcast(all_but_last(a, 1), b)};
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  for (const Dim& dim : last_dims(b, 2)) out.push_back(dim);
  return {out};
}

/// Variables are rows. A single variable gives a number.
Shapes covariance_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  const bool is_one = x.size() < 2 || !op.holds(x[0], Relation::ge, 2);
  return {is_one ? Shape{} : Shape{x[0], x[0]}};
}

}  // namespace

void register_small_matrix(Registry& r) {
  register_closed_forms(r);
  // Decompositions of constants are folded; those of computed matrices are refused.
  r.refuse({"aten::_linalg_eigh",
            "aten::_linalg_svd",
            "aten::_lu_with_info",
            "aten::geqrf",
            "aten::linalg_cond",
            "aten::linalg_cond.p_str",
            "aten::linalg_eig",
            "aten::linalg_eigh",
            "aten::linalg_eigvals",
            "aten::linalg_eigvalsh",
            "aten::linalg_householder_product",
            "aten::linalg_ldl_factor",
            "aten::linalg_ldl_solve",
            "aten::linalg_lstsq",
            "aten::linalg_lu",
            "aten::linalg_lu_factor",
            "aten::linalg_lu_solve",
            "aten::linalg_matrix_exp",
            "aten::linalg_matrix_rank",
            "aten::linalg_pinv",
            "aten::linalg_qr",
            "aten::linalg_svd",
            "aten::linalg_svdvals",
            "aten::linalg_tensorinv",
            "aten::linalg_tensorsolve",
            "aten::lu_solve",
            "aten::lu_unpack",
            "aten::matrix_exp",
            "aten::nuclear_norm",
            "aten::nuclear_norm.dim",
            "aten::ormqr",
            "aten::orgqr",
            "aten::pinverse",
            "aten::qr",
            "aten::svd"},
           "matrix decomposition",
           {Limit::matrix_decomposition,
            "compute it outside the model, or from constants, which are folded"});
  r.same({"aten::trace"}, {"sum_reduce", "sum of the diagonal", trace});
  r.same({"aten::cov"}, {"matmul", "covariances of rows", cov});
  r.same({"aten::corrcoef"}, {"matmul", "covariances over both standard deviations", corrcoef});
  r.shapes(shapes::same, "inverse linalg_inv");
  r.shapes(per_matrix_shapes, "det linalg_det linalg_slogdet logdet slogdet");
  r.shapes(inverse_with_info_shapes, "linalg_inv_ex");
  r.shapes(linalg_solve_shapes, "linalg_solve");
  r.shapes(shapes::reduce, "nuclear_norm");
  r.shapes(shapes::numbers, "trace");
  r.shapes(covariance_shapes, "cov corrcoef");
  r.bounds({bounds::total, true}, "trace");
  r.linear("trace");
}

}  // namespace t2n::ops
