// SPDX-License-Identifier: Apache-2.0
// Variances, norms and distances, and logarithms of sums.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reduction/families.h"
#include "ops/reduction/reduce.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

struct Moments {
  Ref variance;
  Ref mean;
};

/// The number that is subtracted from the count of elements: 1, unless an argument gives another.
double correction(const OpView& op) {
  if (op.has_argument("unbiased")) return op.boolean("unbiased") ? 1 : 0;
  return op.opt_f64("correction").value_or(1);
}

/// sum((x - mean)^2) / (n - correction); too few elements give NaN or infinity, as in torch.
Moments moments(const OpView& op, Emitter& out, Ref x, const Ints& axes) {
  const Ref mean = axes.empty() ? x : reduce(out, "mean_reduce", x, axes);
  const Ref offset = sub(out, x, mean);
  const Ref squares = mul(out, offset, offset);
  const double removed = correction(op);
  if (axes.empty()) return {div(out, squares, like(out, std::max(0.0, 1 - removed), x)), mean};
  if (removed == 0) return {reduce(out, "mean_reduce", squares, axes), mean};
  Dim count = 1;
  for (const int64_t axis : axes) count = count * size_of(out, x, axis);
  const Ref sum = reduce(out, "sum_reduce", squares, axes);
  if (!count.is_constant()) {
    const Ref rest = sub(out, out.size(count, out.dtype(x)), like(out, removed, x));
    return {div(out, sum, maximum(out, rest, like(out, 0, x))), mean};
  }
  const double rest = static_cast<double>(count.value()) - removed;
  return {div(out, sum, like(out, std::max(0.0, rest), x)), mean};
}

/// op.nnef() is "sqrt" for standard deviations.
void variance(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const Ints axes = reduced_axes(op, out, x);
  const Moments m = moments(op, out, x, axes);
  const bool is_std = op.nnef() == "sqrt";
  finish_reduced(op, out, is_std ? out.elementwise("sqrt", {m.variance}) : m.variance, axes, 0);
  if (op.outputs() == 2) finish_reduced(op, out, m.mean, axes, 1);
}

void norm_of(const OpView& op, Emitter& out, double p) {
  ignore_present(op, {"dtype"}, "the result's dtype shows it");
  const Ref x = widened(out, out.cast(op.tensor("self"), op.dtype()));
  const Ints axes = reduced_axes(op, out, x);
  finish_reduced(op, out, vector_norm(out, x, p, axes), axes);
}

void p_norm(const OpView& op, Emitter& out) {
  norm_of(op, out, op.opt_f64(op.has_argument("p") ? "p" : "ord").value_or(2));
}

void frobenius_norm(const OpView& op, Emitter& out) { norm_of(op, out, 2); }

/// Columns run along the first axis of `pair`, rows along the second. Order 1 is the largest sum of
/// a column, infinity that of a row; negative orders are the smallest.
void norm_of_matrices(const OpView& op, Emitter& out, Ints pair) {
  const double order = op.f64("ord");
  const bool is_column = std::abs(order) == 1;
  if (!is_column && !std::isinf(order))
    op.refuse("ord", Limit::matrix_decomposition, "use the Frobenius norm, 1 or infinity");
  ignore_present(op, {"dtype"}, "the result's dtype shows it");
  const Ref x = widened(out, out.cast(op.tensor("self"), op.dtype()));
  for (int64_t& axis : pair) axis += axis < 0 ? out.rank(x) : 0;
  if (!is_column) std::swap(pair[0], pair[1]);
  const Ref sums = reduce(out, "sum_reduce", magnitude(out, x), {pair[0]});
  const Ref y = exact_extremum(out, order > 0 ? "max_reduce" : "min_reduce", sums, {pair[1]});
  std::sort(pair.begin(), pair.end());
  finish_reduced(op, out, y, pair);
}

void matrix_norm_by_number(const OpView& op, Emitter& out) {
  norm_of_matrices(op, out, op.ints("dim"));
}

/// With two axes, an order means a matrix norm.
void linalg_norm(const OpView& op, Emitter& out) {
  const int rank = out.rank(op.tensor("self"));
  const bool is_vector = op.is_none("dim") ? rank <= 1 : op.dims("dim").size() == 1;
  if (!op.is_none("ord") && !is_vector)
    return norm_of_matrices(op, out, op.is_none("dim") ? Ints{0, 1} : op.ints("dim"));
  p_norm(op, out);
}

void matrix_norm(const OpView& op, Emitter& out) {
  if (op.str("ord") != "fro") op.refuse("ord", Limit::matrix_decomposition, "use ord='fro'");
  norm_of(op, out, 2);
}

void dist(const OpView& op, Emitter& out) {
  const Ref x = widened(out, sub(out, op.tensor("self"), op.tensor("other")));
  const Ints axes = all_axes(out.rank(x));
  finish_reduced(op, out, vector_norm(out, x, op.f64("p"), axes), axes);
}

/// eps is added to each difference.
void pairwise_distance(const OpView& op, Emitter& out) {
  const Ref difference = at_least_1d(out, widened(out, sub(out, op.tensor("x1"), op.tensor("x2"))));
  const Ref x = add(out, difference, like(out, op.f64("eps"), difference));
  op.ignore("keepdim", "the result's shape shows it");
  const Ref norm = vector_norm(out, x, op.f64("p"), {out.rank(x) - 1});
  finish(op, out, out.reshape(norm, op.shape()));
}

void cosine_similarity(const OpView& op, Emitter& out) {
  const Ref eps_of = widened(out, op.tensor("x1"));
  const Ref eps = like(out, op.f64("eps"), eps_of);
  const int rank = op.rank() + 1;
  const Ints axes = {op.axis("dim", rank)};
  // The norms are those of the broadcast tensors.
  const Shape shape = out.broadcast(out.shape(op.tensor("x1")), out.shape(op.tensor("x2")));
  const auto unit = [&](Ref vector) {
    const Ref x = out.broadcast_to(widened(out, vector), shape);
    return div(out, x, maximum(out, vector_norm(out, x, 2, axes), eps));
  };
  const Ref product = mul(out, unit(op.tensor("x1")), unit(op.tensor("x2")));
  finish_reduced(op, out, reduce(out, "sum_reduce", product, axes), axes);
}

void logsumexp(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const Ints axes = reduced_axes(op, out, x);
  finish_reduced(op, out, axes.empty() ? x : log_sum_exp(out, x, axes), axes);
}

/// The norm over all other axes, for each index of dim.
void norm_except_dim(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("v"));
  Ints axes = all_axes(out.rank(x));
  if (op.i64("dim") >= 0) axes.erase(axes.begin() + op.i64("dim"));
  const Ref y = vector_norm(out, x, op.f64("pow"), axes);
  finish(op, out, out.reshape(y, op.shape()));
}

/// Every row of x1 against every row of x2.
void cdist(const OpView& op, Emitter& out) {
  ignore_present(op, {"compute_mode"}, "it chooses an algorithm");
  const Ref a = op.tensor("x1"), b = op.tensor("x2");
  const int rank = op.rank();
  const Ref difference =
      sub(out, out.unsqueeze(a, {out.rank(a) - 1}), out.unsqueeze(b, {out.rank(b) - 2}));
  const double p = op.has_argument("p") ? op.f64("p") : 2;
  const Ref distance = vector_norm(out, widened(out, difference), p, {rank});
  finish(op, out, out.squeeze(distance, {rank}));
}

void register_distances(Registry& r) {
  r.same({"aten::dist"}, {"sum_reduce", "p-norm of self - other", dist, Promotion::operands});
  r.same({"aten::pairwise_distance"}, {"sum_reduce", "p-norm of x1 - x2 + eps over the last axis",
                                       pairwise_distance, Promotion::operands});
  r.same({"aten::cosine_similarity"},
         {"sum_reduce", "sum(x1 * x2, dim) / (max(|x1|, eps) * max(|x2|, eps))", cosine_similarity,
          Promotion::operands});
  r.same({"aten::cdist", "aten::_cdist_forward", "aten::_euclidean_dist"},
         {"sum_reduce", "p-norms of the differences of all rows of x1 and x2", cdist,
          Promotion::operands});
}

void register_norms(Registry& r) {
  r.same({"aten::linalg_vector_norm", "aten::norm.Scalar", "aten::norm.ScalarOpt_dim",
          "aten::norm.ScalarOpt_dtype", "aten::norm.ScalarOpt_dim_dtype"},
         {"sum_reduce", "sum(|self|^p, dim)^(1/p); p = 0 counts, p = inf and -inf are the extremes",
          p_norm});
  r.same({"aten::frobenius_norm.dim"}, {"sum_reduce", "sqrt(sum(self^2, dim))", frobenius_norm});
  r.same({"aten::linalg_norm"}, {"sum_reduce",
                                 "a norm of vectors, or sqrt(sum(self^2, dim))",
                                 linalg_norm,
                                 {},
                                 "ord=2 and -2 of matrices"});
  r.same({"aten::linalg_matrix_norm"},
         {"sum_reduce",
          "largest or smallest sum of a column (1, -1) or row (inf, -inf)",
          matrix_norm_by_number,
          {},
          "ord=2 and -2"});
  r.same({"aten::norm_except_dim"}, {"sum_reduce", "norm over all axes but dim", norm_except_dim});
  r.same({"aten::linalg_norm.ord_str", "aten::linalg_matrix_norm.str_ord"},
         {"sum_reduce", "sqrt(sum(self^2, dim))", matrix_norm, {}, "ord='nuc'"});
}

/// Distances between all rows of both.
Shapes cdist_shapes(const ShapeView& op) {
  const Shape &a = op.shape("x1"), &b = op.shape("x2");
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  out.push_back(a.at(a.size() - 2));
  out.push_back(b.at(b.size() - 2));
  return {out};
}

Shapes norm_except_dim_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  if (op.i64("dim") == -1) return {Shape{}};
  Shape out(x.size(), Dim(1));
  return {with_dim(out, op.axis("dim", dim_rank(x)), x.at(op.axis("dim", dim_rank(x))))};
}

}  // namespace

Ref vector_norm(Emitter& out, Ref x, double p, const Ints& axes) {
  const Ref size = magnitude(out, x);
  if (axes.empty())
    return p == 0 ? out.cast(compare(out, "ne", x, like(out, 0, x)), out.dtype(x)) : size;
  if (std::isinf(p)) return exact_extremum(out, p > 0 ? "max_reduce" : "min_reduce", size, axes);
  if (p == 0) {
    const Ref is_nonzero = compare(out, "ne", x, like(out, 0, x));
    return reduce(out, "sum_reduce", out.cast(is_nonzero, out.dtype(x)), axes);
  }
  if (p == 1) return reduce(out, "sum_reduce", size, axes);
  if (p == 2) return out.elementwise("sqrt", {reduce(out, "sum_reduce", mul(out, x, x), axes)});
  const Ref powers = out.elementwise("pow", {size, like(out, p, x)});
  const Ref sum = reduce(out, "sum_reduce", powers, axes);
  return out.elementwise("pow", {sum, like(out, 1 / p, x)});
}

/// The maximum is subtracted first; an infinite one as the largest number, so that it stays
/// infinite.
Ref log_sum_exp(Emitter& out, Ref x, const Ints& axes) {
  const double largest = out.dtype(x) == DType::f64 ? std::numeric_limits<double>::max()
                                                    : std::numeric_limits<float>::max();
  const Ref finite = maximum(out, reduce(out, "max_reduce", x, axes), like(out, -largest, x));
  const Ref top = minimum(out, finite, like(out, largest, x));
  const Ref sum = reduce(out, "sum_reduce", out.elementwise("exp", {sub(out, x, top)}), axes);
  return add(out, out.elementwise("log", {sum}), top);
}

void register_statistics(Registry& r) {
  r.same({"aten::var", "aten::var.dim", "aten::var.correction", "aten::var_mean",
          "aten::var_mean.dim", "aten::var_mean.correction"},
         {"sum_reduce", "sum((self - mean)^2, dim) / (n - correction)", variance});
  r.same({"aten::std", "aten::std.dim", "aten::std.correction", "aten::std_mean",
          "aten::std_mean.dim", "aten::std_mean.correction"},
         {"sqrt", "square root of the variance", variance});
  r.same({"aten::logsumexp", "aten::special_logsumexp"},
         {"sum_reduce", "log(sum(exp(self), dim))", logsumexp, Promotion::to_float});
  register_norms(r);
  register_distances(r);
  r.shapes(shapes::reduce_pairs, "cosine_similarity pairwise_distance");
  r.shapes(cdist_shapes, "cdist _cdist_forward _euclidean_dist");
  r.shapes(shapes::reduce,
           "frobenius_norm linalg_matrix_norm linalg_norm linalg_vector_norm logsumexp "
           "norm special_logsumexp std std_mean var var_mean");
  r.shapes(shapes::numbers, "dist");
  r.shapes(norm_except_dim_shapes, "norm_except_dim");
}

}  // namespace t2n::ops
