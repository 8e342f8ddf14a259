// Reductions, cumulative operations and orderings along dims.
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/shape_rule.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// Reduces over `dim`: an integer, a list, or all axes if none is given.
Shape reduced(const ShapeView& op) {
  const Shape& x = op.first();
  return without(x, op.axes("dim", dim_rank(x)), op.boolean("keepdim"));
}

/// torch rejects the maximum of an empty axis.
void require_elements(const ShapeView& op) {
  constexpr std::array<std::string_view, 7> kExtremes = {"amax",   "amin",   "max",    "min",
                                                         "argmax", "argmin", "aminmax"};
  const Shape& x = op.first();
  if (!is_one_of(ir::op_short_name(op.op()), kExtremes)) return;
  for (const int64_t axis : op.axes("dim", dim_rank(x)))
    if (!x.empty() && is_unbacked(x.at(axis))) op.require(x.at(axis), Relation::ge, 1);
}

Shapes reduce(const ShapeView& op) {
  require_elements(op);
  return repeated(op, reduced(op));
}

/// An empty list of dims means no reduction here.
Shapes reduce_listed(const ShapeView& op) {
  return op.has("dim") && op.dims("dim").empty() ? Shapes{op.first()} : reduce(op);
}

/// One result for each q, on a first axis.
Shapes quantile(const ShapeView& op) {
  Shape out = op.is_tensor("q") ? op.shape("q") : Shape();
  for (const Dim& dim : reduced(op)) out.push_back(dim);
  return {out};
}

Shapes number(const ShapeView& op) { return repeated(op, {}); }

Shapes topk(const ShapeView& op) {
  const Shape& x = op.first();
  const int axis = op.axis("dim", dim_rank(x));
  if (!x.empty()) op.require(op.dim("k"), Relation::le, x.at(axis));
  return repeated(op, with_dim(x, axis, op.dim("k")));
}

Shapes kthvalue(const ShapeView& op) {
  const Shape& x = op.first();
  if (!x.empty()) op.require(op.dim("k"), Relation::le, x.at(op.axis("dim", dim_rank(x))));
  return reduce(op);
}

Shapes norm_except_dim(const ShapeView& op) {
  const Shape& x = op.first();
  if (op.i64("dim") == -1) return {Shape{}};
  Shape out(x.size(), Dim(1));
  return {with_dim(out, op.axis("dim", dim_rank(x)), x.at(op.axis("dim", dim_rank(x))))};
}

Shapes histogram(const ShapeView& op) { return {{op.dim("bins")}}; }

/// Variables are rows. A single variable gives a number.
Shapes covariance(const ShapeView& op) {
  const Shape& x = op.first();
  const bool is_one = x.size() < 2 || !op.holds(x[0], Relation::ge, 2);
  return {is_one ? Shape{} : Shape{x[0], x[0]}};
}

/// `prepend` and `append` are concatenated first, unless n is 0.
Shapes differences(const ShapeView& op) {
  if (op.i64("n") == 0) return {op.shape("self")};
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const size_t at = axis;
  Dim size = x.at(at);
  for (const char* more : {"prepend", "append"})
    if (op.has(more)) size = size + (op.shape(more).empty() ? Dim(1) : op.shape(more).at(at));
  return {with_dim(x, axis, op.constraints().larger(size - op.dim("n"), 0))};
}

/// A one-dimensional x runs along `dim`, which must not be empty.
Shape sampled(const ShapeView& op) {
  const Shape& y = op.shape("y");
  const bool is_one = !op.is_tensor("x") || op.shape("x").size() < 2;
  const Shape out = is_one ? y : op.broadcast(y, op.shape("x"));
  const Dim& size = out.at(op.axis("dim", dim_rank(out)));
  if (!size.is_constant()) op.require(size, Relation::ge, 1);
  return out;
}

Shapes trapezoid(const ShapeView& op) {
  const Shape y = sampled(op);
  return {without(y, {op.axis("dim", dim_rank(y))}, false)};
}

Shapes cumulative_trapezoid(const ShapeView& op) {
  const Shape y = sampled(op);
  const int axis = op.axis("dim", dim_rank(y));
  return {with_dim(y, axis, y.at(axis) - 1)};
}

}  // namespace

void add_reduce_rules(ShapeRules& r) {
  r.add(
      reduce,
      "_aminmax all amax amin aminmax any argmax argmin count_nonzero frobenius_norm "
      "linalg_matrix_norm linalg_norm linalg_vector_norm logsumexp mean median mode nanmean "
      "nanmedian nansum norm nuclear_norm prod special_logsumexp std std_mean sum var var_mean max "
      "min");
  r.add(reduce_listed, "all.dims any.dims");
  r.add(quantile, "quantile nanquantile");
  r.add(same,
        "_logcumsumexp _log_softmax _safe_softmax _softmax argsort cummax cummin cumprod cumsum "
        "flip fliplr flipud log_softmax logcumsumexp msort renorm softmax softmin sort "
        "special_log_softmax special_softmax tril triu");
  r.add(number, "dist dot trace vdot");
  r.add(topk, "topk");
  r.add(kthvalue, "kthvalue");
  r.add(norm_except_dim, "norm_except_dim");
  r.add(histogram, "histc");
  r.add(covariance, "cov corrcoef");
  r.add(differences, "diff");
  r.add(trapezoid, "trapezoid trapz");
  r.add(cumulative_trapezoid, "cumulative_trapezoid");
}

}  // namespace t2n::dynamic
