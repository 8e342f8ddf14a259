// SPDX-License-Identifier: Apache-2.0
// Shapes of rearrangements of the same elements.
#include <algorithm>
#include <optional>

#include "ops/structure/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

Shapes broadcast_tensors_shapes(const ShapeView& op) {
  return repeated(op, op.broadcast(op.shapes("tensors")));
}

/// Factors for the last axes, aligned to the right; missing ones are 1.
Shapes repeat_shapes(const ShapeView& op) {
  Shape x = op.shape("self");
  Shape factors = op.dims(op.has("repeats") ? "repeats" : "dims");
  const size_t rank = std::max(x.size(), factors.size());
  x.insert(x.begin(), rank - x.size(), Dim(1));
  factors.insert(factors.begin(), rank - factors.size(), Dim(1));
  for (size_t i = 0; i < rank; ++i) x[i] = x[i] * factors[i];
  return {x};
}

Shapes repeat_interleave_shapes(const ShapeView& op) {
  const bool is_flat = !op.has("dim");
  const bool is_data_dependent = op.is_tensor("repeats") && !op.has("output_size");
  if (!op.has("self"))
    return {{is_data_dependent ? shapes::unbacked_size() : op.dim("output_size")}};
  const Shape& x = op.shape("self");
  const int axis = is_flat ? 0 : op.axis("dim", dim_rank(x));
  const Dim total = is_flat ? shapes::product(x) : x.at(axis);
  const auto known = is_data_dependent ? op.number("repeats") : std::nullopt;
  const Dim size = known                   ? total * Dim(*known)
                   : is_data_dependent     ? shapes::unbacked_size()
                   : op.has("output_size") ? op.dim("output_size")
                                           : total * op.dim("repeats");
  return {is_flat ? Shape{size} : with_dim(x, axis, size)};
}

/// What -1 stands for: the elements of `from` over the other sizes of `to`.
Dim remaining(const ShapeView& op, const Shape& from, Shape to) {
  Shape rest;
  for (const Dim& dim : from) {
    const auto found = std::find(to.begin(), to.end(), dim);
    if (found == to.end())
      rest.push_back(dim);
    else
      to.erase(found);
  }
  const Dim total = shapes::product(rest), known = shapes::product(to);
  if (known == Dim(0)) op.unknown("there are no elements");
  const Dim size = floor_div(total, known);
  if (!op.constraints().equal(size * known, total)) op.unknown("the elements do not fit");
  return size;
}

/// A shape with at most one -1.
Shape filled(const ShapeView& op, const Shape& from, Shape to) {
  const auto inferred = std::find(to.begin(), to.end(), Dim(-1));
  if (inferred == to.end()) {
    op.require(shapes::product(from), Relation::eq, shapes::product(to));
    return to;
  }
  Shape others = to;
  others.erase(others.begin() + (inferred - to.begin()));
  *inferred = remaining(op, from, others);
  return to;
}

Shapes reshape_shapes(const ShapeView& op) {
  return {filled(op, op.shape("self"), op.dims(op.has("shape") ? "shape" : "size"))};
}

/// view(dtype) keeps the bytes of each row.
Shapes view_shapes(const ShapeView& op) {
  if (op.has("size")) return reshape_shapes(op);
  const Shape& x = op.shape("self");
  const auto dtype = op.dtype_argument("dtype");
  const int64_t from = ir::dtype_size(op.dtype("self")), to = ir::dtype_size(dtype);
  if (from == to) return {x};
  return {with_dim(x, dim_rank(x) - 1, floor_div(x.back() * from, to))};
}

Shapes like_other_shapes(const ShapeView& op) { return {op.shape("other")}; }

Shapes expand_as_shapes(const ShapeView& op) {
  op.require_fit("self", op.shape("other"));
  return {op.shape("other")};
}

Shapes expand_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Shape out = op.dims("size");
  const size_t offset = out.size() - x.size();
  for (size_t i = 0; i < x.size(); ++i)
    if (out.at(offset + i) == Dim(-1))
      out[offset + i] = x[i];
    else if (x[i] != Dim(1))
      op.require(x[i], Relation::eq, out[offset + i]);
  return {out};
}

Shapes flatten_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  if (x.empty()) return {{1}};
  const auto rank = static_cast<int>(x.size());
  const int first = op.axis("start_dim", rank), last = op.axis("end_dim", rank);
  Shape out(x.begin(), x.begin() + first);
  out.push_back(shapes::product(Shape(x.begin() + first, x.begin() + last + 1)));
  out.insert(out.end(), x.begin() + last + 1, x.end());
  return {out};
}

Shapes ravel_shapes(const ShapeView& op) { return {{shapes::product(op.first())}}; }

Shapes unflatten_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t at = op.axis("dim", dim_rank(x));
  const Shape parts = filled(op, {x.at(at)}, op.dims("sizes"));
  Shape out = x;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), parts.begin(), parts.end());
  return {out};
}

Shapes permute_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Shape out;
  for (const Dim& dim : op.dims("dims"))
    out.push_back(x.at(ir::floor_mod_int(dim.value(), dim_rank(x))));
  return {out};
}

Shapes transpose_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const bool has_axes = op.has("axis0");
  return shapes::swapped(x, op.axis(has_axes ? "axis0" : "dim0", dim_rank(x)),
                         op.axis(has_axes ? "axis1" : "dim1", dim_rank(x)));
}

/// Swaps the last two axes; a vector stays unchanged.
Shapes matrix_transpose_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const auto rank = static_cast<int>(x.size());
  return rank < 2 ? Shapes{x} : shapes::swapped(x, rank - 2, rank - 1);
}

Shapes reversed_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return {Shape(x.rbegin(), x.rend())};
}

Shapes moveaxis_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  if (x.empty()) return {x};
  const Shape from = op.dims("source"), to = op.dims("destination");
  std::vector<int> order(x.size(), -1);
  std::vector<bool> moved(x.size(), false);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t at = ir::floor_mod_int(from[i].value(), dim_rank(x));
    order.at(ir::floor_mod_int(to[i].value(), dim_rank(x))) = static_cast<int>(at);
    moved.at(at) = true;
  }
  size_t next = 0;
  Shape out;
  for (const int source : order) {
    while (source < 0 && moved.at(next)) ++next;
    out.push_back(x.at(source < 0 ? next++ : static_cast<size_t>(source)));
  }
  return {out};
}

/// True if an axis has size 1; a dynamic axis must be the same in all probes.
bool is_one(const ShapeView& op, const Dim& dim) {
  if (is_unbacked(dim)) return !op.holds(dim, Relation::ne, 1);
  return dim.is_constant() ? dim == Dim(1) : !op.holds(dim, Relation::ge, 2);
}

Shapes squeeze_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Ints ones;
  for (const int64_t axis : op.axes("dim", dim_rank(x)))
    if (!x.empty() && is_one(op, x.at(axis))) ones.push_back(axis);
  // An empty list of dims squeezes none, a missing one all.
  const bool squeezes_none = op.has("dim") && op.dims("dim").empty();
  return {squeezes_none ? x : without(x, ones, false)};
}

Shapes unsqueeze_shapes(const ShapeView& op) {
  Shape out = op.shape("self");
  out.insert(out.begin() + op.axis("dim", static_cast<int>(out.size()) + 1), Dim(1));
  return {out};
}

Shapes atleast_shapes(const ShapeView& op) {
  const size_t rank = op.op()[op.op().find('_') + 1] - '0';
  if (op.has("self")) return {atleast_nd(op.shape("self"), rank)};
  Shapes out;
  for (const Shape& x : op.shapes("tensors")) out.push_back(atleast_nd(x, rank));
  return out;
}

}  // namespace

void register_shape_shapes(Registry& r) {
  r.shapes(broadcast_tensors_shapes, "broadcast_tensors");
  r.shapes(repeat_shapes, "repeat tile");
  r.shapes(repeat_interleave_shapes, "repeat_interleave");
  r.shapes(reshape_shapes, "reshape _reshape_copy _reshape_alias _unsafe_view");
  r.shapes(view_shapes, "view view_copy");
  r.shapes(like_other_shapes, "view_as reshape_as");
  r.shapes(expand_as_shapes, "expand_as");
  r.shapes(expand_shapes, "expand expand_copy broadcast_to");
  r.shapes(flatten_shapes, "flatten");
  r.shapes(ravel_shapes, "ravel");
  r.shapes(unflatten_shapes, "unflatten");
  r.shapes(permute_shapes, "permute permute_copy");
  r.shapes(transpose_shapes, "transpose transpose_copy swapdims swapaxes");
  r.shapes(matrix_transpose_shapes, "t t_copy adjoint mT mH matrix_H");
  r.shapes(reversed_shapes, "numpy_T");
  r.shapes(moveaxis_shapes, "moveaxis movedim");
  r.shapes(squeeze_shapes, "squeeze squeeze_copy");
  r.shapes(unsqueeze_shapes, "unsqueeze unsqueeze_copy");
  r.shapes(atleast_shapes, "atleast_1d atleast_2d atleast_3d");
}

}  // namespace t2n::ops
