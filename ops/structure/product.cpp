// SPDX-License-Identifier: Apache-2.0
// Matrix products of any rank, and scalings that emit nothing for a factor of one.
#include "ops/structure/product.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "src/diag/error.h"
#include "src/translate/arith.h"

namespace t2n::ops {
namespace {

/// Largest tensor of single products that may replace an integer matrix product.
constexpr int64_t kMostProducts = int64_t{1} << 22;

constexpr std::string_view kLetters = "abcdefghijlmopqrstuvwxyz";  ///< for axes before k and n

/// Both of one rank, 2 or more.
struct Operands {
  Ref a;
  Ref b;
};

Shape product_shape(const Shape& a, const Shape& b, bool transposed) {
  Shape shape = a;
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    if (shape[i] == Dim(1)) shape[i] = b[i];
  shape.back() = b[b.size() - (transposed ? 2 : 1)];
  return shape;
}

/// tract has no i64 matrix product. Element by element it is exact, but needs memory for all
/// products.
Ref integer_product(const OpView& op, Emitter& out, const Operands& x, bool transposed) {
  const int rank = out.rank(x.a);
  Ref b = x.b;
  if (!transposed) {
    Ints swap = all_axes(rank);
    std::swap(swap[swap.size() - 1], swap[swap.size() - 2]);
    b = out.transpose(b, swap);
  }
  Shape shape = product_shape(out.shape(x.a), out.shape(b), true);
  shape.push_back(out.shape(b).back());
  int64_t products = 1;
  for (const Dim& size : shape) products *= size.is_constant() ? size.value() : 1;
  if (products > kMostProducts)
    op.refuse_op(Limit::integer_product_size, "compute in float32, or in int32");
  return sum_of_products(out, out.unsqueeze(x.a, {rank - 1}), out.unsqueeze(b, {rank - 2}), {rank});
}

/// A row times a column, both computed. If both were joined from several axes, tract merges these
/// in the product and loses its two axes of extent 1: "merge-same-role-axes".
bool is_row_times_column(const Emitter& out, const Operands& x, bool transposed) {
  const Shape &a = out.shape(x.a), &b = out.shape(x.b);
  return a.size() == 2 && a[0] == Dim(1) && b[transposed ? 0 : 1] == Dim(1) &&
         ir::is_float(out.dtype(x.a)) && !out.constant_value(x.a) && !out.constant_value(x.b);
}

Ref emit_matmul(const OpView& op, Emitter& out, const Operands& x, bool transposed) {
  const DType dtype = out.dtype(x.a);
  if (!has_matmul(dtype) && out.has(target::Feature::computes_integers))
    return integer_product(op, out, x, transposed);
  if (is_row_times_column(out, x, transposed) && out.has(target::Feature::open_sizes)) {
    const Ref column = transposed ? x.b : out.transpose(x.b, {1, 0});
    return reduce(out, "sum_reduce", mul(out, x.a, column), {1});
  }
  Attributes attributes;
  if (transposed) attributes.emplace_back("transposeB", true);
  return out.call("matmul", {x.a, x.b}, attributes, dtype,
                  product_shape(out.shape(x.a), out.shape(x.b), transposed));
}

/// An operand without the batch axes along which all matrices of the other one share its matrix.
struct Factor {
  Ref x;
  std::string axes;  ///< a letter for each batch axis that is left
};

Factor shared_factor(Emitter& out, Ref x, Ref other) {
  const Shape &shape = out.shape(x), &of_other = out.shape(other);
  const size_t rank = std::max(shape.size(), of_other.size());
  const std::string letters = std::string(kLetters.substr(0, rank - 2));
  const size_t missing = rank - shape.size(), missing_in_other = rank - of_other.size();
  Ints shared;
  std::string axes;
  for (size_t axis = missing; axis + 2 < rank; ++axis)
    if (shape[axis - missing] == Dim(1) && axis >= missing_in_other &&
        of_other[axis - missing_in_other] != Dim(1))
      shared.push_back(static_cast<int64_t>(axis - missing));
    else
      axes += letters[axis];
  return {out.squeeze(x, shared), axes};
}

/// True if `weight` is one matrix for all rows.
bool is_shared(const Emitter& out, Ref x, Ref weight) {
  return out.rank(x) > 2 && out.rank(weight) == 2 && ir::is_float(out.dtype(x));
}

/// True if several matrices of one operand are multiplied by the same one of the other.
bool shares_matrices(const Emitter& out, Ref a, Ref b) {
  const Shape &x = out.shape(a), &y = out.shape(b);
  const size_t both = std::min(x.size(), y.size());
  if (both < 2 || x.size() + y.size() == 4 || !ir::is_float(out.dtype(a))) return false;
  bool differs = x.size() != y.size();
  for (size_t i = 3; i <= both; ++i)
    differs = differs || (x[x.size() - i] == Dim(1)) != (y[y.size() - i] == Dim(1));
  return differs;
}

Operands with_equal_ranks(Emitter& out, Ref a, Ref b) {
  const int rank = std::max({2, out.rank(a), out.rank(b)});
  return {with_rank(out, a, rank), with_rank(out, b, rank)};
}

}  // namespace

/// In `matmul` and `linear` a shared matrix would have axes of extent 1; tract tries to split those
/// as it splits the others' (a reshape before, undone after it) and refuses the model.
Ref product_with_matrix(Emitter& out, Ref a, Ref b, bool transposed) {
  const Factor first = shared_factor(out, a, b), second = shared_factor(out, b, a);
  const Shape &rows_of = out.shape(first.x), &columns_of = out.shape(second.x);
  std::map<char, Dim> sizes;
  for (const auto& [factor, shape] : {std::pair(&first, &rows_of), std::pair(&second, &columns_of)})
    for (size_t i = 0; i < factor->axes.size(); ++i) sizes[factor->axes[i]] = shape->at(i);
  std::string axes;
  Shape shape;
  for (const auto& [letter, size] : sizes) {
    axes += letter;
    shape.push_back(size);
  }
  shape.push_back(rows_of[rows_of.size() - 2]);
  shape.push_back(columns_of[columns_of.size() - (transposed ? 2 : 1)]);
  const char row = kLetters[std::max(out.shape(a).size(), out.shape(b).size()) - 2];
  const std::string rows = first.axes + row + "k,", columns = transposed ? "nk" : "kn";
  const std::string expression = cat(rows, second.axes, columns, "->", axes, row, "n");
  const std::string acc(ir::dtype_name(out.dtype(a)));
  return out.call_list("tract_core_einsum", {first.x, second.x},
                       {{"expr", expression}, {"acc", acc}}, out.dtype(a), shape);
}

Ref with_rank(Emitter& out, Ref x, int rank) {
  Ints axes(std::max(0, rank - out.rank(x)));
  std::iota(axes.begin(), axes.end(), 0);
  return out.unsqueeze(x, axes);
}

bool has_matmul(DType dtype) {
  return ir::is_float(dtype) || dtype == DType::i32 || dtype == DType::i8;
}

Ref sum_of_products(Emitter& out, Ref a, Ref b, const Ints& axes) {
  // Sums of small integers saturate in tract, and wrap in torch.
  const DType dtype = out.dtype(a);
  if (ir::is_integer(dtype) && dtype != DType::i64) {
    const Ref wide_a = out.cast(a, DType::i64), wide_b = out.cast(b, DType::i64);
    return out.cast(sum_of_products(out, wide_a, wide_b, axes), dtype);
  }
  const Ref products = mul(out, a, b);
  return axes.empty() ? products : out.squeeze(reduce(out, "sum_reduce", products, axes), axes);
}

Ref product(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (shares_matrices(out, a, b) && out.has(target::Feature::open_sizes))
    return product_with_matrix(out, a, b, false);
  const bool is_column = out.rank(b) == 1;
  if (is_column) b = out.unsqueeze(b, {1});
  const bool is_row = out.rank(a) == 1;
  const Ref y = emit_matmul(op, out, with_equal_ranks(out, a, b), false);
  const int rank = out.rank(y);
  Ints vanishing;
  if (is_row) vanishing.push_back(rank - 2);
  if (is_column) vanishing.push_back(rank - 1);
  return out.squeeze(y, vanishing);
}

Ref product_transposed(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (is_shared(out, a, b)) return product_with_matrix(out, a, b, true);
  const Ref y = emit_matmul(op, out, with_equal_ranks(out, a, b), true);
  return out.rank(a) == 1 ? out.squeeze(y, {out.rank(y) - 2}) : y;
}

/// NNEF's `linear` requires operands of one rank.
Ref linear_layer(const OpView& op, Emitter& out, Ref x, Ref weight, std::optional<Ref> bias) {
  if (!bias) return product_transposed(op, out, x, weight);
  if (!has_matmul(out.dtype(x))) return add(out, product_transposed(op, out, x, weight), *bias);
  if (is_shared(out, x, weight)) return add(out, product_with_matrix(out, x, weight, true), *bias);
  const int rank = std::max(2, out.rank(x));
  const Ref rows = with_rank(out, x, rank);
  Shape shape = out.shape(rows);
  shape.back() = out.shape(weight)[0];
  const Ref y =
      out.call("linear", {rows, with_rank(out, weight, rank), with_rank(out, *bias, rank)}, {},
               out.dtype(x), shape);
  return out.rank(x) == 1 ? out.squeeze(y, {0}) : y;
}

Ref scaled(Emitter& out, Ref x, double factor) {
  return factor == 1 ? x : mul(out, x, like(out, factor, x));
}

}  // namespace t2n::ops
