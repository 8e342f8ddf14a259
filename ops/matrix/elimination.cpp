// SPDX-License-Identifier: Apache-2.0
#include "ops/matrix/elimination.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ops/pointwise/special.h"
#include "ops/structure/product.h"
#include "src/draft/axes.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// The reduced equations, and the pivot row of each column. Rows are not exchanged; each row is a
/// pivot row once.
class Equations {
 public:
  Equations(Emitter& out, Ref a, std::optional<Ref> b) : out_(out), a_(a), b_(b) {
    n_ = size_of(out, a, out.rank(a) - 1).value();
    for (int64_t column = 0; column < n_; ++column) step(column);
  }

  /// Row k is the equation that determines unknown k.
  Ref solution() {
    std::vector<Ref> rows;
    for (const Ref is_pivot : is_pivot_row_) rows.push_back(row_where(out_, *b_, is_pivot));
    return rows.size() == 1 ? rows[0] : out_.concat(rows, out_.rank(*b_) - 2);
  }

  /// The product of the pivots, negative if the rows are an odd permutation.
  Ref determinant() {
    Ref product = pivots_[0];
    for (size_t k = 1; k < pivots_.size(); ++k) product = mul(out_, product, pivots_[k]);
    return n_ == 1 ? product : mul(out_, product, sign_of_order());
  }

 private:
  int rank() const { return out_.rank(a_); }

  /// Subtracts multiples of the pivot row from every other row.
  Ref reduced(Ref x, Ref is_pivot, Ref column, Ref pivot) {
    const Ref row = div(out_, row_where(out_, x, is_pivot), pivot);
    return select(out_, is_pivot, row, sub(out_, x, mul(out_, column, row)));
  }

  void step(int64_t at) {
    const Ref column = out_.slice(a_, rank() - 1, at, at + 1);
    const Ref size = magnitude(out_, column);
    const Ref free = used_ ? replaced(out_, *used_, -1, size) : size;
    const Ref index = reduce(out_, "argmax_reduce", free, {rank() - 2}, DType::i64);
    const Ref is_pivot = compare(out_, "eq", iota(out_, n_, rank() - 2, rank()), index);
    const Ref pivot = row_where(out_, column, is_pivot);
    pivot_rows_.push_back(index);
    is_pivot_row_.push_back(is_pivot);
    pivots_.push_back(pivot);
    used_ = used_ ? out_.elementwise("or", {*used_, is_pivot}) : is_pivot;
    if (b_) b_ = reduced(*b_, is_pivot, column, pivot);
    if (at + 1 < n_) a_ = reduced(a_, is_pivot, column, pivot);
  }

  /// 1, or -1 if an odd number of pairs of pivots is out of order.
  Ref sign_of_order() {
    const int r = rank();
    const Ref order = out_.concat(pivot_rows_, r - 1);
    Ints swapped = draft::all_axes(r);
    std::swap(swapped[r - 2], swapped[r - 1]);
    const Ref is_later = compare(out_, "gt", out_.transpose(order, swapped), order);
    const Ref is_pair = compare(out_, "lt", iota(out_, n_, r - 2, r), iota(out_, n_, r - 1, r));
    const Ref counts = out_.cast(logical_and(out_, is_later, is_pair), out_.dtype(a_));
    const Ref half = times(out_, reduce(out_, "sum_reduce", counts, {r - 2, r - 1}), 0.5);
    const Ref odd = sub(out_, half, out_.elementwise("floor", {half}));  // a half, or 0
    return minus_from(out_, 1, times(out_, odd, 4));
  }

  Emitter& out_;
  Ref a_;
  std::optional<Ref> b_;
  int64_t n_ = 0;
  std::optional<Ref> used_;
  std::vector<Ref> pivot_rows_;    ///< by column: [..., 1, 1]
  std::vector<Ref> is_pivot_row_;  ///< by column: [..., n, 1]
  std::vector<Ref> pivots_;
};

}  // namespace

shapes::Shapes inverse_with_info_shapes(const shapes::ShapeView& op) {
  return {op.first(), shapes::all_but_last(op.first(), 2)};
}

Ref row_where(Emitter& out, Ref x, Ref is_row) {
  const Ref only = select(out, is_row, x, like(out, 0, x));
  return reduce(out, "sum_reduce", only, {out.rank(only) - 2});
}

Ref eliminated(Emitter& out, Ref a, Ref b) {
  const int rank = std::max(out.rank(a), out.rank(b));
  return Equations(out, with_rank(out, a, rank), with_rank(out, b, rank)).solution();
}

Ref determinant_by_elimination(Emitter& out, Ref a) { return Equations(out, a, {}).determinant(); }

}  // namespace t2n::ops
