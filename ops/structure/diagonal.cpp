// SPDX-License-Identifier: Apache-2.0
// Diagonals and triangles of matrices.
#include "ops/structure/diagonal.h"

#include <algorithm>

#include "ops/structure/families.h"
#include "ops/structure/positions.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// `x` with axes `first` and `second` moved to the end, in this order.
Ref with_last(Emitter& out, Ref x, int first, int second) {
  Ints permutation;
  for (int axis = 0; axis < out.rank(x); ++axis)
    if (axis != first && axis != second) permutation.push_back(axis);
  permutation.push_back(first);
  permutation.push_back(second);
  return out.transpose(x, permutation);
}

Shape leading(const Shape& shape, size_t without) {
  return Shape(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(without));
}

Shape appended(Shape shape, std::initializer_list<int64_t> sizes) {
  for (const int64_t size : sizes) shape.emplace_back(size);
  return shape;
}

/// The diagonal of the last two axes if a size is symbolic. `count` as in torch.
Ref symbolic_diagonal_of_last(Emitter& out, Ref x, int64_t offset, const Dim& count) {
  const int rank = out.rank(x);
  const Dim h = size_of(out, x, rank - 2), w = size_of(out, x, rank - 1);
  Shape flat = leading(out.shape(x), 2);
  flat.push_back(h * w);
  const Dim begin = offset >= 0 ? Dim(offset) : Dim(-offset) * w;
  const Ref offsets = mul(out, out.range(count), out.size(w + Dim(1), DType::i64));
  return take(out, out.reshape(x, flat), add(out, offsets, out.size(begin, DType::i64)), rank - 2);
}

/// Joins the last two axes [h, w]: the diagonal is every (w + 1)-th entry.
Ref diagonal_of_last(Emitter& out, Ref x, int64_t offset) {
  const int rank = out.rank(x);
  const int64_t h = known_size(out, x, rank - 2);
  const int64_t w = known_size(out, x, rank - 1);
  const int64_t count =
      std::max<int64_t>(0, offset >= 0 ? std::min(h, w - offset) : std::min(h + offset, w));
  const Shape batch = leading(out.shape(x), 2);
  if (count == 0) return out.full(like(out, 0, x), appended(batch, {0}));
  const int64_t begin = offset >= 0 ? offset : -offset * w;
  const Ref flat = out.reshape(x, appended(batch, {h * w}));
  return out.slice(flat, rank - 2, begin, begin + (count - 1) * (w + 1) + 1, w + 1);
}

/// The last axis [n] becomes the diagonal of a square: entries m + 1 apart, zeros between.
Ref matrix_of_last(Emitter& out, Ref x, int64_t offset) {
  const int rank = out.rank(x);
  if (const Dim& size = size_of(out, x, rank - 1); !size.is_constant() && offset == 0) {
    const Ref is_diagonal = compare(out, "eq", iota(out, size, 0, 2), iota(out, size, 1, 2));
    return select(out, is_diagonal, out.unsqueeze(x, {rank}), like(out, 0, x));
  }
  const int64_t n = known_size(out, x, rank - 1);
  const int64_t m = n + std::abs(offset);
  const Shape batch = leading(out.shape(x), 1);
  if (n == 0) return out.full(like(out, 0, x), appended(batch, {m, m}));
  const auto around = [&](int64_t before, int64_t after, int at) {
    std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(at) + 1);
    pads.back() = {before, after};
    return pads;
  };
  const Ref spaced = out.pad(out.unsqueeze(x, {rank}), around(0, m, rank));
  const Ref flat = out.reshape(spaced, appended(batch, {n * (m + 1)}));
  const int64_t used = n * (m + 1) - m;
  const int64_t begin = offset >= 0 ? offset : -offset * m;
  const Ref exact = out.slice(flat, rank - 1, 0, used);
  const Ref square = out.pad(exact, around(begin, m * m - begin - used, rank - 1));
  return out.reshape(square, appended(batch, {m, m}));
}

void diagonal(const OpView& op, Emitter& out) {
  const Ref x = op.tensor(op.has_argument("A") ? "A" : "self");
  const int rank = out.rank(x);
  const Ref last = with_last(out, x, op.axis("dim1", rank), op.axis("dim2", rank));
  if (!is_static(out.shape(last)))
    return out.result(symbolic_diagonal_of_last(out, last, op.i64("offset"), op.shape().back()));
  out.result(diagonal_of_last(out, last, op.i64("offset")));
}

void diag_embed(const OpView& op, Emitter& out) {
  const int rank = op.rank();
  const int first = op.axis("dim1", rank);
  const int second = op.axis("dim2", rank);
  int64_t offset = op.i64("offset");
  const Ref y = matrix_of_last(out, op.tensor("self"), offset);
  // The positions of the last two axes in the result.
  Ints order;
  for (int axis = 0, next = 0; axis < rank; ++axis)
    order.push_back(axis == first ? rank - 2 : axis == second ? rank - 1 : next++);
  out.result(out.transpose(y, order));
}

/// A vector becomes a matrix; a matrix gives a vector.
void diag(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int64_t offset = op.i64("diagonal");
  if (out.rank(x) == 2 && !is_static(out.shape(x)))
    return out.result(symbolic_diagonal_of_last(out, x, offset, op.shape().back()));
  out.result(out.rank(x) == 1 ? matrix_of_last(out, x, offset) : diagonal_of_last(out, x, offset));
}

void diagflat(const OpView& op, Emitter& out) {
  out.result(matrix_of_last(out, flattened(out, op.tensor("self")), op.i64("offset")));
}

template <bool kUpper>
void triangle(const OpView& op, Emitter& out) {
  out.result(op.nnef(), {op.tensor("self")}, {{"k", op.dim("diagonal")}, {"upper", kUpper}});
}

Dim diagonal_length(const ShapeView& op, const Dim& rows, const Dim& columns, const Dim& offset) {
  const bool is_above = op.holds(offset, Relation::ge, 0);
  shapes::ConstraintSet& constraints = op.constraints();
  return constraints.simplified(min(is_above ? rows : constraints.larger(rows + offset, 0),
                                    is_above ? constraints.larger(columns - offset, 0) : columns));
}

Shapes diagonal_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  const auto rank = static_cast<int>(x.size());
  const int a = op.axis("dim1", rank), b = op.axis("dim2", rank);
  const Dim offset = op.dim("offset");
  const Dim rows = x.at(a), columns = x.at(b);
  Shape out = without(x, {a, b}, false);
  out.push_back(diagonal_length(op, rows, columns, offset));
  return {out};
}

Shapes diag_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim offset = op.dim("diagonal");
  if (x.size() == 1) {
    const Dim size = x[0] + (op.holds(offset, Relation::ge, 0) ? offset : -1 * offset);
    return {{size, size}};
  }
  return {{diagonal_length(op, x.at(0), x.at(1), offset)}};
}

Dim diagonal_size(const ShapeView& op, const Dim& length) {
  const Dim offset = op.dim("offset");
  return length + (op.holds(offset, Relation::ge, 0) ? offset : -1 * offset);
}

Shapes diag_embed_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const auto rank = static_cast<int>(x.size()) + 1;
  int a = op.axis("dim1", rank), b = op.axis("dim2", rank);
  if (a > b) std::swap(a, b);
  const Dim size = diagonal_size(op, x.back());
  Shape out = all_but_last(x, 1);
  out.insert(out.begin() + a, size);
  out.insert(out.begin() + b, size);
  return {out};
}

Shapes diagflat_shapes(const ShapeView& op) {
  const Dim size = diagonal_size(op, shapes::product(op.shape("self")));
  return {{size, size}};
}

}  // namespace

Ref diagonal_of(Emitter& out, Ref x, int first, int second) {
  const Ref last = with_last(out, x, first, second);
  const Dim& h = size_of(out, last, out.rank(x) - 2);
  const Dim& w = size_of(out, last, out.rank(x) - 1);
  if (h.is_constant() && w.is_constant()) return diagonal_of_last(out, last, 0);
  return symbolic_diagonal_of_last(out, last, 0, h == w ? h : min(h, w));
}

void register_diagonal(Registry& r) {
  r.same({"aten::diagonal", "aten::linalg_diagonal", "aten::diagonal_copy"},
         {"slice", "entries (i, i + offset) of two axes", diagonal});
  r.same({"aten::diag_embed"},
         {"pad", "the last axis as the diagonal of a square, zeros elsewhere", diag_embed});
  r.same({"aten::diag"}, {"slice", "the diagonal of a matrix, or a matrix of one", diag});
  r.same({"aten::diagflat"}, {"pad", "all elements as the diagonal of a square", diagflat});
  r.same({"aten::tril"}, {"tract_core_trilu", "zeros above the diagonal", triangle<false>});
  r.same({"aten::triu"}, {"tract_core_trilu", "zeros below the diagonal", triangle<true>});
  r.shapes(shapes::same, "tril triu");
  r.shapes(diagonal_shapes, "diagonal diagonal_copy linalg_diagonal");
  r.shapes(diag_shapes, "diag");
  r.shapes(diag_embed_shapes, "diag_embed");
  r.shapes(diagflat_shapes, "diagflat");
  r.bounds({bounds::kept}, "diagonal diag diag_embed diagflat tril triu");
  r.linear("diag diag_embed diagonal tril triu");
}

}  // namespace t2n::ops
