// Parts of a tensor: slices, selections, chunks and windows.
#include <algorithm>
#include <numeric>
#include <optional>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// A bound of a slice as torch clamps it to [0, size].
Dim clamped(const ShapeView& op, const Dim& bound, const Dim& size) {
  constexpr int64_t kEnd = int64_t{1} << 62;
  if (bound.is_constant() && bound.value() > kEnd) return size;
  const Dim from_start = op.holds(bound, Relation::ge, 0) ? bound : bound + size;
  return op.constraints().smaller(op.constraints().larger(from_start, 0), size);
}

struct SliceBounds {
  Dim start;
  Dim end;
};

SliceBounds bounds(const ShapeView& op, const Dim& size) {
  const Dim start = op.has("start") ? clamped(op, op.dim("start"), size) : Dim(0);
  const Dim end = op.has("end") ? clamped(op, op.dim("end"), size) : size;
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

/// `size - min(a, size)` has the form that other slices give it: `max(size - a, 0)`.
Dim length_of(const ShapeView& op, const SliceBounds& bounds, const Dim& size) {
  const auto start = bounds.end == size ? cut_off_at(bounds.start, size) : std::nullopt;
  return op.constraints().larger(start ? size - *start : bounds.end - bounds.start, 0);
}

/// The length of `x[-n:]`: n, or the size if it is smaller.
std::optional<Dim> last_entries(const ShapeView& op, const Dim& size) {
  if (!op.has("start") || !op.holds(op.dim("start"), Relation::lt, 0)) return std::nullopt;
  if (op.has("end") && clamped(op, op.dim("end"), size) != size) return std::nullopt;
  return op.constraints().smaller(-1 * op.dim("start"), size);
}

Shapes slice(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const Dim& size = x.at(axis);
  const auto last = last_entries(op, size);
  const Dim length = last ? *last : length_of(op, bounds(op, size), size);
  // Assumes that the slice is not empty, unless a probe shows that it may be.
  if (!ir::is_unbacked(length) && !orders_in(length).empty())
    op.constraints().holds(length, Relation::ge, 1);
  return {with_dim(x, axis, ceil_div(length, op.has("step") ? op.dim("step") : Dim(1)))};
}

Shapes narrow(const ShapeView& op) {
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

Shapes select(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  require_index(op, x.at(axis));
  return {without(x, {axis}, false)};
}

Shapes select_scatter(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  require_index(op, x.at(axis));
  op.unified(without(x, {axis}, false), op.shape("src"));
  return {x};
}

/// The part that is written has the size of what is written.
Shapes slice_scatter(const ShapeView& op) {
  op.unified(slice(op).at(0), op.shape("src"));
  return {op.shape("self")};
}

Shapes unbind(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return repeated(op, without(x, {op.axis("dim", dim_rank(x))}, false));
}

Shapes parts(const Shape& x, int axis, const std::vector<Dim>& sizes) {
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
  return parts(x, axis, sizes);
}

Shapes split(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const char* name = op.has("split_sizes") ? "split_sizes" : "split_size";
  const bool is_list = op.has("split_sizes") || op.op().ends_with(".sizes");
  if (is_list) {
    const std::vector<Dim> sizes = op.dims(name);
    op.unified(x.at(axis), std::accumulate(sizes.begin(), sizes.end(), Dim(0)));
    return parts(x, axis, sizes);
  }
  return equal_parts(op, x, axis, op.dim(name));
}

Shapes chunk(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return equal_parts(op, x, axis, ceil_div(x.at(axis), op.dim("chunks")));
}

/// The first size % sections parts are longer by one.
Shapes sections(const ShapeView& op, const Shape& x, int axis, int64_t count) {
  std::vector<Dim> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(floor_div(x.at(axis) + (count - 1 - i), count));
  if (sizes.size() != op.outputs()) op.unknown("the number of parts differs");
  return parts(x, axis, sizes);
}

/// Parts between indices: each starts where the previous one ends.
Shapes cut(const ShapeView& op, const Shape& x, int axis, const Shape& indices) {
  const Dim total = x.at(axis);
  std::vector<Dim> sizes;
  Dim start = 0;
  for (const Dim& index : indices) {
    if (!ir::is_unbacked(total) && op.holds(index, Relation::ge, 0))
      op.constraints().decide(index, Relation::le, total);
    const Dim end = clamped(op, index, total);
    sizes.push_back(op.constraints().larger(end - start, 0));
    start = end;
  }
  sizes.push_back(total - start);
  return parts(x, axis, sizes);
}

Shapes cut_at(const ShapeView& op, const Shape& x, int axis) {
  return op.has("indices") ? cut(op, x, axis, op.dims("indices"))
                           : sections(op, x, axis, op.i64("sections"));
}

Shapes tensor_split(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  if (op.is_tensor("tensor_indices_or_sections")) op.unknown("a tensor specifies the parts");
  return cut_at(op, x, axis);
}

/// Along the first axis of a vector, else along the second.
Shapes hsplit(const ShapeView& op) {
  const Shape& x = op.shape("self");
  return cut_at(op, x, x.size() < 2 ? 0 : 1);
}

Shapes vsplit(const ShapeView& op) { return cut_at(op, op.shape("self"), 0); }
Shapes dsplit(const ShapeView& op) { return cut_at(op, op.shape("self"), 2); }

/// One half of the entries gates the other.
Shapes glu(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return {with_dim(x, axis, floor_div(x.at(axis), 2))};
}

Dim diagonal_length(const ShapeView& op, const Dim& rows, const Dim& columns, const Dim& offset) {
  const bool is_above = op.holds(offset, Relation::ge, 0);
  ConstraintSet& constraints = op.constraints();
  return constraints.simplified(min(is_above ? rows : constraints.larger(rows + offset, 0),
                                    is_above ? constraints.larger(columns - offset, 0) : columns));
}

Shapes diagonal(const ShapeView& op) {
  const Shape& x = op.first();
  const auto rank = static_cast<int>(x.size());
  const int a = op.axis("dim1", rank), b = op.axis("dim2", rank);
  const Dim offset = op.dim("offset");
  const Dim rows = x.at(a), columns = x.at(b);
  Shape out = without(x, {a, b}, false);
  out.push_back(diagonal_length(op, rows, columns, offset));
  return {out};
}

Shapes diag(const ShapeView& op) {
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

Shapes diag_embed(const ShapeView& op) {
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

Shapes diagflat(const ShapeView& op) {
  const Dim size = diagonal_size(op, product(op.shape("self")));
  return {{size, size}};
}

/// Windows of `size` elements with stride `step` become a last axis.
Shapes unfold(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim size = op.dim("size");
  if (x.empty()) return {{size}};
  const int axis = op.axis("dimension", dim_rank(x));
  op.require(x.at(axis), Relation::ge, size);
  const Dim count = floor_div(x.at(axis) - size, op.dim("step")) + 1;
  Shape out = with_dim(x, axis, count);
  out.push_back(size);
  return {out};
}

}  // namespace

void add_split_rules(ShapeRules& r) {
  r.add(slice, "slice slice_copy");
  r.add(narrow, "narrow narrow_copy");
  r.add(select, "select select_copy");
  r.add(select_scatter, "select_scatter");
  r.add(slice_scatter, "slice_scatter");
  r.add(unbind, "unbind unbind_copy");
  r.add(split,
        "split split_copy unsafe_split split_with_sizes split_with_sizes_copy "
        "unsafe_split_with_sizes");
  r.add(chunk, "chunk unsafe_chunk");
  r.add(tensor_split, "tensor_split");
  r.add(hsplit, "hsplit");
  r.add(vsplit, "vsplit");
  r.add(dsplit, "dsplit");
  r.add(glu, "glu");
  r.add(diagonal, "diagonal diagonal_copy linalg_diagonal");
  r.add(diag, "diag");
  r.add(diag_embed, "diag_embed");
  r.add(diagflat, "diagflat");
  r.add(unfold, "unfold unfold_copy");
}

}  // namespace t2n::dynamic
