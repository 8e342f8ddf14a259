// SPDX-License-Identifier: Apache-2.0
// Shapes of parts of a tensor: slices, selections, chunks, windows.
#include "ops/structure/slice_shapes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/prove.h"
#include "ops/structure/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// `prepend` and `append` are concatenated first, unless n is 0.
Shapes differences_shapes(const ShapeView& op) {
  if (op.i64("n") == 0) return {op.shape("self")};
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const size_t at = axis;
  Dim size = x.at(at);
  for (const char* more : {"prepend", "append"})
    if (op.has(more)) size = size + (op.shape(more).empty() ? Dim(1) : op.shape(more).at(at));
  return {with_dim(x, axis, op.constraints().larger(size - op.dim("n"), 0))};
}

/// 0 for 0, 1 for a larger count; nothing if the count has no known bounds.
std::optional<Dim> at_most_one(const Dim& count) {
  const auto always = [&](Relation relation, int64_t bound) {
    return ir::prove({count, relation, bound}) == ir::Verdict::always;
  };
  if (!always(Relation::ge, 0)) return std::nullopt;
  // Divided by one more than its bound, a remainder gives a difference of two quotients.
  for (int64_t most = 1; most < 64; ++most)
    if (always(Relation::le, most)) return shapes::ceil_div(count, most + 1);
  return std::nullopt;
}

/// The bound `-count`, where the count may be 0: the start of the axis then, and not its end.
Dim from_end_or_zero(const ShapeView& op, const Dim& count, const Dim& size) {
  const auto one = at_most_one(count);
  if (!one) op.unknown("a bound counts from the start at some sizes, and from the end at others");
  const Dim bound = *one * op.constraints().larger(size - count, 0);
  op.constraints().know({bound, Relation::ge, 0});
  op.constraints().know({bound, Relation::le, size});
  return bound;
}

/// A bound of a slice as torch clamps it to [0, size].
Dim bound_in(const ShapeView& op, const Dim& bound, const Dim& size) {
  constexpr int64_t kEnd = int64_t{1} << 62;
  if (bound.is_constant() && bound.value() > kEnd) return size;
  const auto is_from_start = op.constraints().decide(bound, Relation::ge, 0);
  if (!is_from_start) return from_end_or_zero(op, -1 * bound, size);
  const Dim from_start = *is_from_start ? bound : bound + size;
  return op.constraints().smaller(op.constraints().larger(from_start, 0), size);
}

struct SliceBounds {
  Dim start;
  Dim end;
};

SliceBounds slice_bounds(const ShapeView& op, const Dim& size) {
  const Dim start = op.has("start") ? bound_in(op, op.dim("start"), size) : Dim(0);
  const Dim end = op.has("end") ? bound_in(op, op.dim("end"), size) : size;
  return {start, end};
}

/// For `min(a, size)`: a.
std::optional<Dim> cut_off_at(const Dim& start, const Dim& size) {
  if (start.constant_part() != 0 || start.terms().size() != 1) return std::nullopt;
  const ir::Term& term = start.terms()[0];
  const auto* least =
      term.factor == 1 && term.atoms.size() == 1 ? std::get_if<ir::Min>(&term.atoms[0]) : nullptr;
  if (least == nullptr) return std::nullopt;
  if (least->b == size) return least->a;
  return least->a == size ? std::optional(least->b) : std::nullopt;
}

/// Whether the bound counts from the start at some sizes, and from the end at others.
bool turns(const ShapeView& op, const char* name) {
  return op.has(name) && !op.constraints().decide(op.dim(name), Relation::ge, 0);
}

/// `size - min(a, size)` has the form that other slices give it: `max(size - a, 0)`.
Dim length_of(const ShapeView& op, const SliceBounds& bounds, const Dim& size) {
  const bool is_ordered =
      (bounds.start == Dim(0) && turns(op, "end")) || (bounds.end == size && turns(op, "start"));
  if (is_ordered) return bounds.end - bounds.start;
  const auto start = bounds.end == size ? cut_off_at(bounds.start, size) : std::nullopt;
  return op.constraints().larger(start ? size - *start : bounds.end - bounds.start, 0);
}

/// The length of `x[-n:]`: n, or the size if it is smaller.
std::optional<Dim> last_entries(const ShapeView& op, const Dim& size) {
  if (!op.has("start")) return std::nullopt;
  if (!op.constraints().decide(op.dim("start"), Relation::lt, 0).value_or(false))
    return std::nullopt;
  if (op.has("end") && bound_in(op, op.dim("end"), size) != size) return std::nullopt;
  return op.constraints().smaller(-1 * op.dim("start"), size);
}

Shapes narrow_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const Dim size = x.at(axis), length = op.dim("length");
  if (!op.is_tensor("start")) {
    const Dim start = op.dim("start");
    const bool is_from_start = op.holds(start, Relation::ge, 0);
    op.require(is_from_start ? start + length : length, Relation::le,
               is_from_start ? size : -1 * start);
    if (!is_from_start) op.require(size, Relation::ge, -1 * start);
  }
  return {with_dim(x, axis, length)};
}

Shapes select_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  require_index(op, x.at(axis));
  return {without(x, {axis}, false)};
}

Shapes unbind_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return repeated(op, without(x, {op.axis("dim", dim_rank(x))}, false));
}

Shapes part_shapes(const Shape& x, int axis, const std::vector<Dim>& sizes) {
  Shapes out;
  for (const Dim& size : sizes) out.push_back(with_dim(x, axis, size));
  return out;
}

/// Parts of `size`, the last one with the remainder; the number of parts is the sample's.
Shapes equal_parts(const ShapeView& op, const Shape& x, int axis, const Dim& size) {
  const auto count = static_cast<int64_t>(op.outputs());
  const Dim total = x.at(axis);
  std::vector<Dim> sizes(op.outputs(), size);
  if (!sizes.empty()) sizes.back() = total - (count - 1) * size;
  if (!op.holds(sizes.back(), Relation::ge, count > 1 ? 1 : 0) ||
      !op.holds(sizes.back(), Relation::le, size))
    op.unknown("the number of parts differs");
  return part_shapes(x, axis, sizes);
}

Shapes split_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const char* name = op.has("split_sizes") ? "split_sizes" : "split_size";
  const bool is_list = op.has("split_sizes") || op.op().ends_with(".sizes");
  if (is_list) {
    const std::vector<Dim> sizes = op.dims(name);
    op.unified(x.at(axis), std::accumulate(sizes.begin(), sizes.end(), Dim(0)));
    return part_shapes(x, axis, sizes);
  }
  return equal_parts(op, x, axis, op.dim(name));
}

Shapes chunk_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return equal_parts(op, x, axis, shapes::ceil_div(x.at(axis), op.dim("chunks")));
}

/// The first size % sections parts are longer by one.
Shapes sections(const ShapeView& op, const Shape& x, int axis, int64_t count) {
  std::vector<Dim> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(floor_div(x.at(axis) + (count - 1 - i), count));
  if (sizes.size() != op.outputs()) op.unknown("the number of parts differs");
  return part_shapes(x, axis, sizes);
}

/// Parts between indices: each starts where the previous one ends.
Shapes shapes_between(const ShapeView& op, const Shape& x, int axis, const Shape& indices) {
  const Dim total = x.at(axis);
  std::vector<Dim> sizes;
  Dim start = 0;
  for (const Dim& index : indices) {
    if (!ir::is_unbacked(total) && op.holds(index, Relation::ge, 0))
      op.constraints().decide(index, Relation::le, total);
    const Dim end = bound_in(op, index, total);
    sizes.push_back(op.constraints().larger(end - start, 0));
    start = end;
  }
  sizes.push_back(total - start);
  return part_shapes(x, axis, sizes);
}

Shapes cut_at(const ShapeView& op, const Shape& x, int axis) {
  return op.has("indices") ? shapes_between(op, x, axis, op.dims("indices"))
                           : sections(op, x, axis, op.i64("sections"));
}

Shapes tensor_split_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  if (op.is_tensor("tensor_indices_or_sections")) op.unknown("a tensor specifies the parts");
  return cut_at(op, x, axis);
}

/// Along the first axis of a vector, else along the second.
Shapes hsplit_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return cut_at(op, x, x.size() < 2 ? 0 : 1);
}

Shapes vsplit_shapes(const ShapeView& op) { return cut_at(op, op.shape("self"), 0); }
Shapes dsplit_shapes(const ShapeView& op) { return cut_at(op, op.shape("self"), 2); }

/// Shifts by no more than the size; the exported model asserts it for a declared one.
Shapes roll_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape shifts = op.dims("shifts"), dims = op.dims("dims");
  for (size_t i = 0; i < shifts.size(); ++i) {
    if (x.empty()) break;
    const Dim size = dims.empty() ? shapes::product(x)
                                  : x.at(ir::floor_mod_int(dims.at(i).value(), dim_rank(x)));
    // With data-dependent sizes the graph computes the indices: any shift is valid.
    if (ir::is_unbacked(size) || ir::is_unbacked(shifts[i])) continue;
    if (size.is_constant() && shifts[i].is_constant()) continue;
    const bool is_forward = op.holds(shifts[i], Relation::ge, 0);
    op.require(is_forward ? shifts[i] : -1 * shifts[i], Relation::le, size);
  }
  return {x};
}

/// Quarter turns.
Shapes rot90_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  if (ir::floor_mod_int(op.i64("k"), 2) == 0) return {x};
  const Shape dims = op.dims("dims");
  const auto axis = [&](size_t i) {
    return static_cast<int>(ir::floor_mod_int(dims.at(i).value(), dim_rank(x)));
  };
  return shapes::swapped(x, axis(0), axis(1));
}

}  // namespace

Shapes slice_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const Dim& size = x.at(axis);
  const auto last = last_entries(op, size);
  const Dim length = last ? *last : length_of(op, slice_bounds(op, size), size);
  // Assumes that the slice is not empty, unless a probe shows that it may be.
  if (!ir::is_unbacked(length) && !shapes::orders_in(length).empty())
    op.constraints().holds(length, Relation::ge, 1);
  return {with_dim(x, axis, shapes::ceil_div(length, op.has("step") ? op.dim("step") : Dim(1)))};
}

/// `index` is within the axis.
void require_index(const ShapeView& op, const Dim& size) {
  const Dim index = op.dim("index");
  const auto of_iteration = [](const ir::Symbol& symbol) { return symbol.is_iteration(); };
  const std::vector<ir::Symbol> symbols = index.symbols();
  if (std::none_of(symbols.begin(), symbols.end(), of_iteration)) {
    if (op.holds(index, Relation::ge, 0))
      op.require(index, Relation::lt, size);
    else
      op.require(size + index, Relation::ge, 0);
  }
}

void register_slice_shapes(Registry& r) {
  r.shapes(shapes::same, "flip fliplr flipud");
  r.shapes(differences_shapes, "diff");
  r.shapes(slice_shapes, "slice slice_copy");
  r.shapes(narrow_shapes, "narrow narrow_copy");
  r.shapes(select_shapes, "select select_copy");
  r.shapes(unbind_shapes, "unbind unbind_copy");
  r.shapes(split_shapes,
           "split split_copy unsafe_split split_with_sizes split_with_sizes_copy "
           "unsafe_split_with_sizes");
  r.shapes(chunk_shapes, "chunk unsafe_chunk");
  r.shapes(tensor_split_shapes, "tensor_split");
  r.shapes(hsplit_shapes, "hsplit");
  r.shapes(vsplit_shapes, "vsplit");
  r.shapes(dsplit_shapes, "dsplit");
  r.shapes(roll_shapes, "roll");
  r.shapes(rot90_shapes, "rot90");
}

}  // namespace t2n::ops
