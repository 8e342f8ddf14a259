// SPDX-License-Identifier: Apache-2.0
// Shared by operators over [N, C, spatial…]: the optional batch axis, and products along one axis.
#include "ops/structure/spatial.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/pointwise/special.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/nan.h"

namespace t2n::ops {
namespace {

/// The matrix as a constant of rank `rank`: leading axes of extent 1 stand for the batch.
Ref matrix_constant(Emitter& out, const std::vector<double>& values, int64_t rows, DType dtype,
                    int rank) {
  Ints shape(static_cast<size_t>(rank), 1);
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = static_cast<int64_t>(values.size()) / rows;
  return out.constant(ir::tensor_of(dtype, shape, values), "weights");
}

Dim product_between(Shape::const_iterator begin, Shape::const_iterator end) {
  Dim out = 1;
  for (; begin != end; ++begin) out = out * *begin;
  return out;
}

/// [N, C, spatial…], with a symbolic C as part of the batch.
Shape as_planes(Shape shape) {
  if (shape.at(1).is_constant()) return shape;
  shape[0] = shape[0] * shape[1];
  shape[1] = 1;
  return shape;
}

}  // namespace

Ref batched(Emitter& out, Ref x, int spatial) { return with_rank(out, x, spatial + 2); }

Shape batched_shape(const OpView& op, int spatial, int index) {
  Shape shape = op.shape(index);
  while (static_cast<int>(shape.size()) < spatial + 2) shape.insert(shape.begin(), Dim(1));
  return shape;
}

void batched_result(const OpView& op, Emitter& out, Ref y, int index) {
  Ints added(out.rank(y) - op.rank(index));
  std::iota(added.begin(), added.end(), 0);
  out.result(out.squeeze(y, added), index);
}

Ref planes(Emitter& out, Ref x, int spatial) {
  const Ref all = batched(out, x, spatial);
  const Shape shape = as_planes(out.shape(all));
  return shape == out.shape(all) ? all : out.reshape(x, shape);
}

Shape planes_shape(const OpView& op, int spatial, int index) {
  return as_planes(batched_shape(op, spatial, index));
}

void planes_result(const OpView& op, Emitter& out, Ref y, int index) {
  const Shape shape = batched_shape(op, out.rank(y) - 2, index);
  if (as_planes(shape) == shape) return batched_result(op, out, y, index);
  out.result(out.reshape(y, op.shape(index)), index);
}

Ref along_axis(Emitter& out, Ref x, int axis, Ref matrix) {
  const int rank = out.rank(x);
  if (rank == 1) {  // tract 0.22 fails on a product whose last axis is squeezed
    const Ref products = mul(out, matrix, out.unsqueeze(x, {0}));
    return out.squeeze(reduce(out, "sum_reduce", products, {1}), {1});
  }
  Ints to_end = axis_to_front(axis, rank);
  std::rotate(to_end.begin(), to_end.begin() + 1, to_end.end());
  const Ref rows = out.transpose(x, to_end);
  Shape shape = out.shape(rows);
  shape.back() = out.shape(matrix)[0];
  const Ref y = out.call("matmul", {rows, with_rank(out, matrix, rank)}, {{"transposeB", true}},
                         out.dtype(x), shape);
  return out.transpose(y, inverse(to_end));
}

Ref along_axis(Emitter& out, Ref x, int axis, const std::vector<double>& matrix, int64_t rows) {
  const Shape before = out.shape(x);
  const int rank = static_cast<int>(before.size());
  const DType dtype = out.dtype(x);
  Shape after = before;
  after.at(axis) = rows;
  // In `matmul` the matrix would have further axes, which tract splits as it splits joined ones.
  const bool is_shared = rank > 2 && ir::is_float(dtype) && out.has(target::Feature::open_sizes);
  if (is_shared && axis >= rank - 2) {
    const Ref m = matrix_constant(out, matrix, rows, dtype, 2);
    return axis == rank - 1 ? product_with_matrix(out, x, m, true)
                            : product_with_matrix(out, m, x, false);
  }
  if (axis == rank - 1 && rank > 1) {
    const Ref m = matrix_constant(out, matrix, rows, dtype, rank);
    return out.call("matmul", {x, m}, {{"transposeB", true}}, dtype, after);
  }
  if (axis == rank - 2) {
    const Ref m = matrix_constant(out, matrix, rows, dtype, rank);
    return out.call("matmul", {m, x}, {}, dtype, after);
  }
  // [outer, i, inner]: the product runs over the middle.
  const auto at = before.begin() + axis;
  const Dim outer = product_between(before.begin(), at);
  const Dim inner = product_between(at + 1, before.end());
  const Ref m = matrix_constant(out, matrix, rows, dtype, 3);
  const Ref flat = out.reshape(x, {outer, *at, inner});
  const Ref y = out.call("matmul", {m, flat}, {}, dtype, {outer, rows, inner});
  return out.reshape(y, after);
}

std::vector<Ref> cubic_weights(Emitter& out, Ref t) {
  constexpr double kA = -0.75;
  const auto near = [&](Ref d) {  // |d| <= 1
    const Ref inner = plus(out, times(out, d, kA + 2), -(kA + 3));
    return plus(out, mul(out, mul(out, inner, d), d), 1);
  };
  const auto far = [&](Ref d) {  // 1 < |d| < 2
    const Ref inner = plus(out, mul(out, plus(out, times(out, d, kA), -5 * kA), d), 8 * kA);
    return plus(out, mul(out, inner, d), -4 * kA);
  };
  const Ref rest = minus_from(out, 1, t);
  return {far(plus(out, t, 1)), near(t), near(rest), far(plus(out, rest, 1))};
}

Ref with_infinities(const OpView& op, Emitter& out, Ref x, const Attributes& windows, Ref y) {
  const DType dtype = out.dtype(x);
  if (!ir::is_float(dtype) || !out.has(target::Feature::computes_f64)) return y;
  const auto is_any = [&](Ref condition) {
    const Ref marks = out.cast(condition, dtype);
    const Ref most = out.call("max_pool", {marks}, windows, dtype, out.shape(y));
    return compare(out, "gt", most, like(out, 0, most));
  };
  if (op.may_meet_infinity("self")) {
    const Ref end = like(out, -std::numeric_limits<double>::infinity(), x);
    y = select(out, is_any(compare(out, "ne", x, end)), y, end);
  }
  return may_meet_nan(out, "self") ? select(out, is_any(is_nan(out, x)), like(out, kNan, y), y) : y;
}

}  // namespace t2n::ops
