// SPDX-License-Identifier: Apache-2.0
// Shapes of matrix products.
#include <algorithm>

#include "ops/matrix/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// The shape that torch.matmul gives: vectors are rows on the left and columns on the right;
/// batches broadcast.
Shape matmul_shape(const ShapeView& op, const Shape& a, const Shape& b) {
  if (!a.empty() && !b.empty()) op.unified(a.back(), b[b.size() - std::min<size_t>(2, b.size())]);
  Shape out;
  if (a.size() > 2 || b.size() > 2)
    out = op.broadcast(all_but_last(a, std::min<size_t>(2, a.size())),
                       all_but_last(b, std::min<size_t>(2, b.size())));
  if (a.size() > 1) out.push_back(a[a.size() - 2]);
  if (b.size() > 1) out.push_back(b.back());
  return out;
}

Shapes matmul_shapes(const ShapeView& op) {
  const std::vector<Shape> x = op.operands();
  return {matmul_shape(op, x.at(0), x.at(1))};
}

/// self + a @ b: self is broadcast to the product.
Shapes add_product_shapes(const ShapeView& op) {
  const std::vector<Shape> x = op.operands();
  const Shape product = matmul_shape(op, x.at(1), x.at(2));
  op.require_fit(x.at(0), product);
  return {product};
}

/// The products are summed over the batch.
Shapes addbmm_shapes(const ShapeView& op) {
  const Shape out = {op.shape("batch1").at(1), op.shape("batch2").at(2)};
  op.unified(op.shape("batch1").at(2), op.shape("batch2").at(1));
  op.require_fit("self", out);
  return {out};
}

Shapes outer_shapes(const ShapeView& op) {
  return {{op.shape("self").at(0), op.shape("vec2").at(0)}};
}

Shapes addr_shapes(const ShapeView& op) {
  const Shape out = {op.shape("vec1").at(0), op.shape("vec2").at(0)};
  op.require_fit("self", out);
  return {out};
}

/// weight is [out, in], or [in].
Shapes linear_shapes(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input"), 1);
  op.unified(op.shape("input").back(), op.shape("weight").back());
  if (op.shape("weight").size() == 2) out.push_back(op.shape("weight")[0]);
  op.require_fit("bias", out);
  return {out};
}

/// weight is [out, in].
Shapes integer_linear_shapes(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input"), 1);
  out.push_back(op.shape("weight").at(0));
  return {out};
}

Shapes bilinear_shapes(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input1"), 1);
  op.unified(op.shape("input1").back(), op.shape("weight").at(1));
  op.unified(op.shape("input2").back(), op.shape("weight").at(2));
  out.push_back(op.shape("weight").at(0));
  op.require_fit("bias", out);
  return {out};
}

/// All axes but the last ones, which are summed over.
Shapes inner_shapes(const ShapeView& op) {
  const Shape &a = op.shape("self"), &b = op.shape("other");
  if (a.empty() || b.empty()) return {op.broadcast(a, b)};
  Shape out = all_but_last(a, 1);
  for (const Dim& dim : all_but_last(b, 1)) out.push_back(dim);
  return {out};
}

Shapes chain_shapes(const ShapeView& op) {
  const Shapes x = op.shapes(op.has("tensors") ? "tensors" : "matrices");
  if (x.size() == 1) return {x[0]};
  Shape out;
  if (x.front().size() > 1) out.push_back(x.front()[0]);
  if (x.back().size() > 1) out.push_back(x.back().back());
  return {out};
}

Ints axes_in_order(const Shape& dims, int rank) {
  Ints out;
  for (const Dim& dim : dims) out.push_back(ir::floor_mod_int(dim.value(), rank));
  return out;
}

Shapes tensordot_shapes(const ShapeView& op) {
  const Shape &a = op.shape("self"), &b = op.shape("other");
  Shape out = without(a, axes_in_order(op.dims("dims_self"), dim_rank(a)), false);
  for (const Dim& dim : without(b, axes_in_order(op.dims("dims_other"), dim_rank(b)), false))
    out.push_back(dim);
  return {out};
}

Shapes kron_shapes(const ShapeView& op) {
  Shape a = op.shape("self"), b = op.shape("other");
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 0; i < b.size(); ++i) {
    Dim& size = a[a.size() - b.size() + i];
    size = size * b[i];
  }
  return {a};
}

}  // namespace

void register_matmul_shapes(Registry& r) {
  r.shapes(matmul_shapes, "matmul mm bmm mv linalg_matmul");
  r.shapes(add_product_shapes, "addmm addmv baddbmm _addmm_activation");
  r.shapes(addbmm_shapes, "addbmm");
  r.shapes(outer_shapes, "outer ger");
  r.shapes(addr_shapes, "addr");
  r.shapes(linear_shapes, "linear");
  r.shapes(integer_linear_shapes, "t2n::integer_linear");
  r.shapes(bilinear_shapes, "bilinear");
  r.shapes(inner_shapes, "inner");
  r.shapes(chain_shapes, "chain_matmul linalg_multi_dot");
  r.shapes(tensordot_shapes, "tensordot");
  r.shapes(kron_shapes, "kron");
  r.shapes(shapes::same, "linalg_matrix_power matrix_power");
  r.shapes(shapes::broadcast, "cross linalg_cross");
  r.shapes(shapes::reduce_pairs, "linalg_vecdot");
  r.shapes(shapes::numbers, "dot vdot");
}

}  // namespace t2n::ops
