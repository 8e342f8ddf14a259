// Operators that rearrange the same elements.
#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

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
  const Dim total = product(rest), known = product(to);
  if (known == Dim(0)) op.unknown("there are no elements");
  const Dim size = floor_div(total, known);
  if (!op.constraints().equal(size * known, total)) op.unknown("the elements do not fit");
  return size;
}

/// A shape with at most one -1.
Shape filled(const ShapeView& op, const Shape& from, Shape to) {
  const auto inferred = std::find(to.begin(), to.end(), Dim(-1));
  if (inferred == to.end()) {
    op.require(product(from), Relation::eq, product(to));
    return to;
  }
  Shape others = to;
  others.erase(others.begin() + (inferred - to.begin()));
  *inferred = remaining(op, from, others);
  return to;
}

Shapes reshape(const ShapeView& op) {
  return {filled(op, op.shape("self"), op.dims(op.has("shape") ? "shape" : "size"))};
}

/// view(dtype) keeps the bytes of each row.
Shapes view(const ShapeView& op) {
  if (op.has("size")) return reshape(op);
  const Shape& x = op.shape("self");
  const auto dtype = op.dtype_argument("dtype");
  const int64_t from = ir::dtype_size(op.dtype("self")), to = ir::dtype_size(dtype);
  if (from == to) return {x};
  return {with_dim(x, dim_rank(x) - 1, floor_div(x.back() * from, to))};
}

Shapes like_other(const ShapeView& op) { return {op.shape("other")}; }

Shapes expand_as(const ShapeView& op) {
  op.require_fit("self", op.shape("other"));
  return {op.shape("other")};
}

/// The last entry that it reads must be one of self.
Shapes as_strided(const ShapeView& op) {
  const Shape out = op.dims("size"), strides = op.dims("stride");
  Dim last = op.has("storage_offset") ? op.dim("storage_offset") : Dim(0);
  for (size_t i = 0; i < out.size(); ++i) last = last + (out[i] - 1) * strides.at(i);
  op.require(last, Relation::lt, product(op.shape("self")));
  return {out};
}

/// The inverse of expand.
Shapes sum_to_size(const ShapeView& op) {
  const Shape out = op.dims("size");
  op.require_fit(out, op.shape("self"));
  return {out};
}

Shapes expand(const ShapeView& op) {
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

Shapes flatten(const ShapeView& op) {
  const Shape& x = op.shape("self");
  if (x.empty()) return {{1}};
  const auto rank = static_cast<int>(x.size());
  const int first = op.axis("start_dim", rank), last = op.axis("end_dim", rank);
  Shape out(x.begin(), x.begin() + first);
  out.push_back(product(Shape(x.begin() + first, x.begin() + last + 1)));
  out.insert(out.end(), x.begin() + last + 1, x.end());
  return {out};
}

Shapes ravel(const ShapeView& op) { return {{product(op.first())}}; }

Shapes unflatten(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t at = op.axis("dim", dim_rank(x));
  const Shape parts = filled(op, {x.at(at)}, op.dims("sizes"));
  Shape out = x;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), parts.begin(), parts.end());
  return {out};
}

Shapes permute(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Shape out;
  for (const Dim& dim : op.dims("dims"))
    out.push_back(x.at(ir::floor_mod_int(dim.value(), dim_rank(x))));
  return {out};
}

Shapes swapped(Shape x, int a, int b) {
  if (!x.empty()) std::swap(x.at(a), x.at(b));
  return {x};
}

Shapes transpose(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const bool has_axes = op.has("axis0");
  return swapped(x, op.axis(has_axes ? "axis0" : "dim0", dim_rank(x)),
                 op.axis(has_axes ? "axis1" : "dim1", dim_rank(x)));
}

/// Swaps the last two axes; a vector stays unchanged.
Shapes matrix_transpose(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const auto rank = static_cast<int>(x.size());
  return rank < 2 ? Shapes{x} : swapped(x, rank - 2, rank - 1);
}

Shapes reversed(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return {Shape(x.rbegin(), x.rend())};
}

Shapes moveaxis(const ShapeView& op) {
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

Shapes squeeze(const ShapeView& op) {
  const Shape& x = op.shape("self");
  ir::Ints ones;
  for (const int64_t axis : op.axes("dim", dim_rank(x)))
    if (!x.empty() && is_one(op, x.at(axis))) ones.push_back(axis);
  // An empty list of dims squeezes none, a missing one all.
  const bool squeezes_none = op.has("dim") && op.dims("dim").empty();
  return {squeezes_none ? x : without(x, ones, false)};
}

Shapes unsqueeze(const ShapeView& op) {
  Shape out = op.shape("self");
  out.insert(out.begin() + op.axis("dim", static_cast<int>(out.size()) + 1), Dim(1));
  return {out};
}

Shapes atleast(const ShapeView& op) {
  const size_t rank = op.op()[op.op().find('_') + 1] - '0';
  if (op.has("self")) return {atleast_nd(op.shape("self"), rank)};
  Shapes out;
  for (const Shape& x : op.shapes("tensors")) out.push_back(atleast_nd(x, rank));
  return out;
}

Shapes as_real(const ShapeView& op) {
  Shape out = op.shape("self");
  out.push_back(2);
  return {out};
}

Shapes as_complex(const ShapeView& op) { return {all_but_last(op.shape("self"), 1)}; }

/// Shifts by no more than the size; the exported model asserts it for a declared one.
Shapes roll(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape shifts = op.dims("shifts"), dims = op.dims("dims");
  for (size_t i = 0; i < shifts.size(); ++i) {
    if (x.empty()) break;
    const Dim size =
        dims.empty() ? product(x) : x.at(ir::floor_mod_int(dims.at(i).value(), dim_rank(x)));
    // With data-dependent sizes the graph computes the indices: any shift is valid.
    if (ir::is_unbacked(size) || ir::is_unbacked(shifts[i])) continue;
    if (size.is_constant() && shifts[i].is_constant()) continue;
    const bool is_forward = op.holds(shifts[i], Relation::ge, 0);
    op.require(is_forward ? shifts[i] : -1 * shifts[i], Relation::le, size);
  }
  return {x};
}

/// Quarter turns.
Shapes rot90(const ShapeView& op) {
  const Shape& x = op.shape("self");
  if (ir::floor_mod_int(op.i64("k"), 2) == 0) return {x};
  const Shape dims = op.dims("dims");
  const auto axis = [&](size_t i) {
    return static_cast<int>(ir::floor_mod_int(dims.at(i).value(), dim_rank(x)));
  };
  return swapped(x, axis(0), axis(1));
}

Shapes pixel_shuffle(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim r = op.dim("upscale_factor");
  const Shape end = last_dims(x, 3);
  Shape out = all_but_last(x, 3);
  for (const Dim& dim : {floor_div(end[0], r * r), end[1] * r, end[2] * r}) out.push_back(dim);
  return {out};
}

/// torch returns a tensor without elements unchanged.
Shapes pixel_unshuffle(const ShapeView& op) {
  const Shape& x = op.shape("self");
  for (const Dim& size : x) op.require(size, Relation::ge, 1);
  const Dim r = op.dim("downscale_factor");
  const Shape end = last_dims(x, 3);
  Shape out = all_but_last(x, 3);
  for (const Dim& dim : {end[0] * r * r, floor_div(end[1], r), floor_div(end[2], r)})
    out.push_back(dim);
  return {out};
}

}  // namespace

void add_view_rules(ShapeRules& r) {
  r.add(reshape, "reshape _reshape_copy _reshape_alias _unsafe_view");
  r.add(view, "view view_copy");
  r.add(like_other, "view_as reshape_as");
  r.add(expand_as, "expand_as");
  r.add(as_strided, "as_strided as_strided_copy");
  r.add(sum_to_size, "sum_to_size");
  r.add(expand, "expand expand_copy broadcast_to");
  r.add(flatten, "flatten");
  r.add(ravel, "ravel");
  r.add(unflatten, "unflatten");
  r.add(permute, "permute permute_copy");
  r.add(transpose, "transpose transpose_copy swapdims swapaxes");
  r.add(matrix_transpose, "t t_copy adjoint mT mH matrix_H");
  r.add(reversed, "numpy_T");
  r.add(moveaxis, "moveaxis movedim");
  r.add(squeeze, "squeeze squeeze_copy");
  r.add(unsqueeze, "unsqueeze unsqueeze_copy");
  r.add(atleast, "atleast_1d atleast_2d atleast_3d");
  r.add(as_real, "view_as_real view_as_real_copy");
  r.add(as_complex, "view_as_complex view_as_complex_copy");
  r.add(roll, "roll");
  r.add(same, "channel_shuffle native_channel_shuffle fft_fftshift fft_ifftshift");
  r.add(rot90, "rot90");
  r.add(pixel_shuffle, "pixel_shuffle");
  r.add(pixel_unshuffle, "pixel_unshuffle");
}

}  // namespace t2n::dynamic
