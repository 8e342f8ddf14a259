// SPDX-License-Identifier: Apache-2.0
// Tensors of which a part is replaced: the result of writing through a view.
#include "ops/indexing/scatter.h"

#include <algorithm>
#include <limits>

#include "ops/indexing/families.h"
#include "ops/structure/index_shapes.h"
#include "ops/structure/positions.h"
#include "ops/structure/slice_shapes.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// x with [begin, end) along `axis` replaced.
Ref replace_range(Emitter& out, Ref x, Ref part, int axis, const Dim& begin, const Dim& end) {
  const Dim size = size_of(out, x, axis);
  std::vector<Ref> parts;
  if (!(begin == Dim(0))) parts.push_back(out.slice(x, axis, 0, begin));
  parts.push_back(part);
  if (!(end == size)) parts.push_back(out.slice(x, axis, end, size));
  return out.concat(parts, axis);
}

/// The same for symbolic sizes: writes rows at computed indices.
Ref replace_symbolic_steps(Emitter& out, Ref x, Ref part, int axis, const Dim& first,
                           int64_t step) {
  const Ref offsets = mul(out, out.range(size_of(out, part, axis)), out.scalar(step, DType::i64));
  const Ref index = add(out, offsets, out.size(first, DType::i64));
  const Rows rows = as_rows(out, x, {axis});
  return from_rows(out, scatter_rows(out, rows.x, index, as_rows(out, part, {axis}).x, {}), rows);
}

/// Replaces every `step`-th entry: each position reads the old tensor or the part from their
/// concatenation along the axis.
Ref replace_steps(Emitter& out, Ref x, Ref part, int axis, const Dim& first, int64_t step) {
  if (!first.is_constant() || !size_of(out, x, axis).is_constant() ||
      !size_of(out, part, axis).is_constant())
    return replace_symbolic_steps(out, x, part, axis, first, step);
  const int64_t begin = first.value();
  const int64_t size = extent(out, x, axis), count = extent(out, part, axis);
  Ints source(size);
  for (int64_t i = 0; i < size; ++i) source[i] = i;
  for (int64_t i = 0; i < count; ++i) source[begin + i * step] = size + i;
  const Ref index = int_constant(out, source, {size}, "source");
  return take(out, out.concat({x, part}, axis), index, axis);
}

void select_scatter(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim");
  const Dim requested = op.dim("index");
  const Dim index = out.at_sample(requested) < 0 ? requested + size_of(out, x, axis) : requested;
  Shape shape = out.shape(x);
  shape.erase(shape.begin() + axis);
  const Ref part = out.broadcast_to(out.cast(op.tensor("src"), out.dtype(x)), shape);
  finish(op, out, replace_range(out, x, out.unsqueeze(part, {axis}), axis, index, index + Dim(1)));
}

/// True if the slice covers the axis, whose size may then be symbolic.
bool covers_axis(const OpView& op, const Dim& size) {
  const bool from_start = op.is_none("start") || op.dim("start") == Dim(0);
  const bool to_end = op.is_none("end") || op.dim("end") == size ||
                      op.dim("end") == Dim(std::numeric_limits<int64_t>::max());
  return from_start && to_end && op.dim("step") == Dim(1);
}

/// Some bounds are symbolic: the size of src shows where they were clamped.
Ref symbolic_slice_scatter(const OpView& op, Emitter& out, Ref x, int axis) {
  const Ref src = out.cast(op.tensor("src"), out.dtype(x));
  const Dim count = size_of(out, src, axis);
  if (count == Dim(0)) {
    op.ignore_all({"start", "end", "step"}, "without entries they may lie beyond the axis");
    return x;
  }
  const int64_t step = op.i64("step");
  const SliceRange range = symbolic_range(op, out, size_of(out, x, axis), count);
  return step == 1 ? replace_range(out, x, src, axis, range.begin, range.begin + count)
                   : replace_steps(out, x, src, axis, range.begin, step);
}

void slice_scatter(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim");
  if (covers_axis(op, out.shape(x).at(axis))) return finish(op, out, op.tensor("src"));
  const bool is_symbolic =
      !size_of(out, x, axis).is_constant() || op.is_symbolic("start") || op.is_symbolic("end");
  if (is_symbolic) return finish(op, out, symbolic_slice_scatter(op, out, x, axis));
  const int64_t size = extent(out, x, axis);
  const int64_t begin = slice_bound(op.opt_i64("start").value_or(0), size);
  const int64_t end = std::max(begin, slice_bound(op.opt_i64("end").value_or(size), size));
  const int64_t step = op.i64("step");
  const int64_t count = (end - begin + step - 1) / step;
  const Ref src = out.cast(op.tensor("src"), out.dtype(x));
  const Ref part = out.broadcast_to(src, with_size(out.shape(x), axis, count));
  if (count == 0) return finish(op, out, x);
  finish(op, out,
         step == 1 ? replace_range(out, x, part, axis, begin, end)
                   : replace_steps(out, x, part, axis, begin, step));
}

/// The same if a size is symbolic: each row takes its entry where the diagonal crosses it.
void symbolic_diagonal_scatter(const OpView& op, Emitter& out, Ref x, const Ints& axes) {
  const int rank = out.rank(x);
  const int64_t offset = op.i64("offset");
  Ints order;
  for (int axis = 0; axis < rank; ++axis)
    if (axis != axes[0] && axis != axes[1]) order.push_back(axis);
  order.insert(order.end(), axes.begin(), axes.end());
  const Ref last = out.transpose(x, order);
  const Dim& rows = size_of(out, last, rank - 2);
  Ref src = out.cast(op.tensor("src"), out.dtype(x));
  if (const Dim count = size_of(out, src, rank - 2); count != rows) {
    const Ref entry =
        add(out, out.range(rows), out.scalar(std::min<int64_t>(0, offset), DType::i64));
    const Ref near = minimum(out, entry, out.size(count - Dim(1), DType::i64));
    if (may_be_zero(out, count)) {  // an entry that no row shows
      std::vector<std::pair<int64_t, int64_t>> padding(static_cast<size_t>(rank) - 1);
      padding.back().second = 1;
      src = out.pad(src, padding);
    }
    src = take(out, src, maximum(out, near, out.scalar(0, DType::i64)), rank - 2);
  }
  const Ref column = add(out, iota(out, rows, 0, 2), out.scalar(offset, DType::i64));
  const Ref is_diagonal = compare(out, "eq", column, iota(out, size_of(out, last, rank - 1), 1, 2));
  const Ref y = select(out, is_diagonal, out.unsqueeze(src, {rank - 1}), last);
  finish(op, out, out.transpose(y, inverse(order)));
}

/// The diagonal is an index over the two axes, merged.
void diagonal_scatter(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int rank = out.rank(x);
  const Ints axes = {op.axis("dim1", rank), op.axis("dim2", rank)};
  if (!size_of(out, x, axes[0]).is_constant() || !size_of(out, x, axes[1]).is_constant())
    return symbolic_diagonal_scatter(op, out, x, axes);
  const int64_t rows = extent(out, x, axes[0]), columns = extent(out, x, axes[1]);
  const int64_t offset = op.i64("offset");
  Ints index;
  for (int64_t row = std::max<int64_t>(0, -offset); row < rows && row + offset < columns; ++row)
    index.push_back(row * columns + row + offset);
  const Rows to = as_rows(out, x, axes);
  const Ref src = out.cast(op.tensor("src"), out.dtype(x));
  const Ref part = out.transpose(src, axis_to_front(rank - 2, rank - 1));
  const auto count = static_cast<int64_t>(index.size());
  const Ref diagonal = int_constant(out, index, {count}, "diagonal");
  finish(op, out, from_rows(out, scatter_rows(out, to.x, diagonal, part, {}), to));
}

Shapes select_scatter_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  require_index(op, x.at(axis));
  op.unified(without(x, {axis}, false), op.shape("src"));
  return {x};
}

/// The part that is written has the size of what is written.
Shapes slice_scatter_shapes(const ShapeView& op) {
  op.unified(slice_shapes(op).at(0), op.shape("src"));
  return {op.shape("self")};
}

}  // namespace

/// index_add and similar operators: one row of the source for each index.
Shapes put_rows_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  require_in_range_along(op, x);
  if (op.is_tensor("source") && !x.empty() && op.shape("source").size() == x.size())
    op.unified(with_dim(x, op.axis("dim", dim_rank(x)), shapes::product(op.shape("index"))),
               op.shape("source"));
  return shapes::same(op);
}

void register_scatter(Registry& r) {
  r.same({"aten::select_scatter"},
         {"concat", "self with self.select(dim, index) = src", select_scatter});
  r.same({"aten::slice_scatter"},
         {"concat", "self with self[.., start:end:step, ..] = src", slice_scatter});
  r.same({"aten::diagonal_scatter"},
         {"tract_core_scatter_nd", "self with self.diagonal(offset, dim1, dim2) = src",
          diagonal_scatter});
  r.add({.op = "aten::as_strided_scatter",
         .doc = "self with a strided part of its memory replaced",
         .refusal = Refusal{Limit::memory_layout, "write through ordinary indexing instead"}});
  r.shapes(shapes::same, "diagonal_scatter");
  r.shapes(select_scatter_shapes, "select_scatter");
  r.shapes(slice_scatter_shapes, "slice_scatter");
  r.bounds({bounds::kept}, "slice_scatter select_scatter diagonal_scatter as_strided_scatter");
  r.rearranges({.axes = {"dim"}}, "select_scatter slice_scatter");
  r.linear("diagonal_scatter");
}

}  // namespace t2n::ops
