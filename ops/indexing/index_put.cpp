// SPDX-License-Identifier: Apache-2.0
// Writing entire rows: index_put and the operations on one index along an axis.
#include <algorithm>
#include <numeric>

#include "ops/indexing/families.h"
#include "ops/indexing/scatter.h"
#include "ops/reduction/reduce.h"
#include "ops/structure/index_shapes.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// rows[k] summed per position: weights are [position, k], 1 where they match.
Ref sum_of_rows(Emitter& out, Ref weights, Ref rows, const Shape& shape) {
  const DType dtype = out.dtype(weights);
  if (shape.size() == 1) {  // tract 0.22 fails on a product whose last axis is squeezed
    const Ref products = mul(out, weights, out.unsqueeze(rows, {0}));
    return out.squeeze(reduce(out, "sum_reduce", products, {1}), {1});
  }
  Dim width = 1;
  for (size_t i = 1; i < shape.size(); ++i) width = width * shape[i];
  const Ref flat = out.reshape(rows, {out.shape(rows)[0], width});
  const Ref sums = out.call("matmul", {weights, flat}, {}, dtype, {shape[0], width});
  return out.reshape(sums, shape);
}

/// In f64: integers are exact up to 2^53, and the cast keeps tract from moving a reshaped broadcast
/// into the product, on which it fails.
Ref add_rows_by_product(Emitter& out, Ref x, Ref index, Ref rows) {
  const DType dtype = out.dtype(x);
  const Ref positions = iota(out, size_of(out, x, 0), 0, 2);
  const Ref is_index = compare(out, "eq", positions, out.unsqueeze(index, {0}));
  const Ref sums =
      sum_of_rows(out, out.cast(is_index, DType::f64), out.cast(rows, DType::f64), out.shape(x));
  return add(out, x, out.cast(sums, dtype));
}

Write accumulating_write(const OpView& op, bool accumulates) {
  return {accumulates ? Combine::sum : Combine::none, op.nnef() == "tract_core_scatter_nd"};
}

/// The values broadcast to the shape of self[indices], with the index's axes merged in front.
Ref value_rows(Emitter& out, Ref values, Ref self, const Positions& at) {
  const Shape& selected = out.shape(at.index);
  const int first = is_adjacent(at.axes) ? static_cast<int>(at.axes[0]) : 0;
  Shape shape;
  for (int axis = 0; axis < out.rank(self); ++axis)
    if (std::find(at.axes.begin(), at.axes.end(), axis) == at.axes.end())
      shape.push_back(out.shape(self)[axis]);
  shape.insert(shape.begin() + first, selected.begin(), selected.end());
  Ints axes(selected.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = first + static_cast<int64_t>(i);
  const Ref all = out.broadcast_to(out.cast(values, out.dtype(self)), shape);
  return as_rows(out, all, axes).x;
}

struct Mask {
  Ref values;
  int axis;  ///< of the indexed tensor, where the mask begins
};

/// The only index, if it is a mask that the model computes.
std::optional<Mask> computed_mask(const OpView& op, const Emitter& out) {
  std::optional<Mask> mask;
  int axis = 0;
  for (const auto& item : op.opt_tensors("indices")) {
    if (item) {
      if (mask || out.dtype(*item) != DType::boolean || out.constant_value(*item)) return {};
      mask = Mask{*item, axis};
    }
    ++axis;
  }
  return mask;
}

/// The rank of each true element of a mask among all true ones, from 0.
Ref ranks_among(Emitter& out, std::string_view cumsum, Ref mask) {
  const Ref flags = out.cast(flattened(out, mask), DType::i64);
  const Ref counts = running_sum(out, cumsum, flags, 0);
  return maximum(out, sub(out, counts, out.scalar(int64_t{1}, DType::i64)),
                 out.scalar(int64_t{0}, DType::i64));
}

/// Entries at positions along an axis; positions after the end read the last one. An empty axis
/// reads zeros.
Ref take_within(Emitter& out, Ref x, Ref index, int axis) {
  const Ref size = out.size(size_of(out, x, axis), DType::i64);
  const Ref zeros = out.full(out.scalar(0, out.dtype(x)), with_size(out.shape(x), axis, 1));
  const Ref longer = out.concat({x, zeros}, axis);
  const Ref last = maximum(out, sub(out, size, out.scalar(int64_t{1}, DType::i64)),
                           out.scalar(int64_t{0}, DType::i64));
  return take(out, longer, minimum(out, index, last), axis);
}

/// The number of true elements of a mask, as i64.
Ref true_elements(Emitter& out, Ref mask) {
  const Ref flags = out.cast(flattened(out, mask), DType::i64);
  return out.squeeze(reduce(out, "sum_reduce", flags, {0}), {0});
}

/// torch raises unless there is one row for each true element, or one for all.
void require_rows(Emitter& out, Ref mask, const Dim& rows) {
  if (counts(out, rows, mask)) return;
  const Ref count = out.size(rows, DType::i64);
  const Ref differs = out.cast(compare(out, "ne", count, true_elements(out, mask)), DType::i64);
  const Ref several =
      out.cast(compare(out, "ne", count, out.scalar(int64_t{1}, DType::i64)), DType::i64);
  require_at_runtime(out, mul(out, differs, several));
}

/// One row of values for each true element of a mask, in order.
bool put_rows(const OpView& op, Emitter& out, const Mask& mask, Ref values, bool accumulates) {
  const Ref self = op.tensor("self");
  const int masked = out.rank(mask.values), rank = out.rank(self);
  const int missing = rank - masked + 1 - out.rank(values);
  if (missing < 0 || !out.has(target::Feature::core_cumsum)) return false;
  Ints leading(static_cast<size_t>(missing));
  std::iota(leading.begin(), leading.end(), 0);
  values = out.unsqueeze(values, leading);
  const Ref index =
      out.reshape(ranks_among(out, "tract_core_cumsum", mask.values), out.shape(mask.values));
  require_rows(out, mask.values, size_of(out, values, mask.axis));
  Shape shape = out.shape(values);
  for (int axis = 0; axis < rank - masked + 1; ++axis)
    if (axis != mask.axis)
      shape[axis] = out.shape(self)[axis < mask.axis ? axis : axis + masked - 1];
  const Ref rows = take_within(out, out.broadcast_to(values, shape), index, mask.axis);
  Ints added;
  for (int axis = 0; axis < rank - masked - mask.axis; ++axis) added.push_back(masked + axis);
  const Ref condition = out.unsqueeze(mask.values, added);
  finish(op, out, select(out, condition, accumulates ? add(out, self, rows) : rows, self));
  return true;
}

/// One value for all positions that a mask selects, or one for each index of the axes after the
/// mask: emitted as a select, without indices.
bool put_masked(const OpView& op, Emitter& out, bool accumulates) {
  const auto mask = computed_mask(op, out);
  if (!mask) return false;
  const Ref self = op.tensor("self");
  const int masked = out.rank(mask->values);
  const int after = out.rank(self) - masked - mask->axis;
  Ref values = out.cast(op.tensor("values"), out.dtype(self));
  if (out.rank(values) > after) {
    Shape shape = out.shape(values);
    const auto at = shape.end() - after - 1;
    if (*at != Dim(1)) return put_rows(op, out, *mask, values, accumulates);
    shape.insert(at, static_cast<size_t>(masked) - 1, Dim(1));
    values = out.reshape(values, shape);
  }
  Ints added;
  for (int axis = 0; axis < after; ++axis) added.push_back(masked + axis);
  const Ref condition = out.unsqueeze(mask->values, added);
  finish(op, out, select(out, condition, accumulates ? add(out, self, values) : values, self));
  return true;
}

void index_put(const OpView& op, Emitter& out) {
  ignore_present(op, {"unsafe"}, "it only leaves out a check");
  const bool accumulates = op.boolean("accumulate");
  if (put_masked(op, out, accumulates)) return;
  const Ref self = op.tensor("self");
  Positions at = positions(op, out, self);
  T2N_ASSERT(!at.axes.empty(), "index_put needs an index");
  const Rows rows = as_rows(out, self, at.axes);
  const Ref values = value_rows(out, op.tensor("values"), self, at);
  const Ref index = wrapped(out, flattened(out, at.index), size_of(out, rows.x, 0));
  const Ref y = scatter_rows(out, rows.x, index, values, accumulating_write(op, accumulates));
  finish(op, out, from_rows(out, y, rows));
}

/// The operand as rows along `dim`, its index as [k], and the values to write.
struct AlongDim {
  Rows self;
  Ref index;
  Ints axes;
};

AlongDim along_dim(const OpView& op, Emitter& out) {
  const Ref x = at_least_1d(out, op.tensor("self"));
  const Ints axes = {op.axis("dim")};
  return {as_rows(out, x, axes), out.cast(at_least_1d(out, op.tensor("index")), DType::i64), axes};
}

void finish_along_dim(const OpView& op, Emitter& out, const AlongDim& to, Ref rows, Write write) {
  const Ref y = scatter_rows(out, to.self.x, to.index, rows, write);
  finish(op, out, out.reshape(from_rows(out, y, to.self), op.shape()));
}

void index_copy(const OpView& op, Emitter& out) {
  const AlongDim to = along_dim(op, out);
  const Ref source = at_least_1d(out, op.tensor("source"));
  finish_along_dim(op, out, to, as_rows(out, source, to.axes).x, {});
}

void index_add(const OpView& op, Emitter& out) {
  const AlongDim to = along_dim(op, out);
  const Ref source = at_least_1d(out, op.tensor("source"));
  const Ref alpha = op.number("alpha", out.dtype(source));
  const Ref scaled = is_number(out, alpha, 1) ? source : mul(out, source, alpha);
  finish_along_dim(op, out, to, as_rows(out, scaled, to.axes).x, accumulating_write(op, true));
}

void index_fill(const OpView& op, Emitter& out) {
  AlongDim to = along_dim(op, out);
  const DType dtype = out.dtype(to.self.x);
  const Ref value = op.is_tensor("value") ? out.cast(op.tensor("value"), dtype)
                                          : converted_number(op, out, "value", dtype);
  to.index = wrapped(out, to.index, size_of(out, to.self.x, 0));
  const Shape shape = with_size(out.shape(to.self.x), 0, out.shape(to.index)[0]);
  finish_along_dim(op, out, to, out.broadcast_to(value, shape), {});
}

/// self.flatten()[index] = source
void put(const OpView& op, Emitter& out) {
  const Ref x = flattened(out, op.tensor("self"));
  const Ref index = wrapped(out, flattened(out, op.tensor("index")), size_of(out, x, 0));
  const Ref source = out.cast(flattened(out, op.tensor("source")), out.dtype(x));
  const Ref y =
      scatter_rows(out, x, index, source, accumulating_write(op, op.boolean("accumulate")));
  finish(op, out, out.reshape(y, op.shape()));
}

/// The n-th true element of the mask gets the n-th of the source.
void masked_scatter(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref mask = out.broadcast_to(op.tensor("mask"), op.shape());
  const Ref index = ranks_among(out, op.nnef(), mask);
  const Ref source = out.cast(flattened(out, op.tensor("source")), out.dtype(self));
  // The source may be shorter than the mask; entries that are not read may be anything.
  const Dim size = size_of(out, source, 0);
  if (size != size_of(out, flattened(out, mask), 0))
    require_at_runtime(
        out, out.cast(compare(out, "gt", true_elements(out, mask), out.size(size, DType::i64)),
                      DType::i64));
  const Ref last = out.size(size - Dim(1), DType::i64);
  const Ref values = is_unbacked(size) ? take_within(out, source, index, 0)
                                       : take(out, source, minimum(out, index, last), 0);
  finish(op, out, select(out, mask, out.reshape(values, op.shape()), self));
}

void add_index_write(Registry& r, const std::vector<std::string_view>& names, std::string_view doc,
                     Translate translate, std::string_view limits = {}) {
  for (const std::string_view name : names)
    r.add({.op = name,
           .doc = doc,
           .variants = {{has(Feature::scatter_reduction), "tract_core_scatter_nd", translate},
                        {any_target(), "matmul", translate}},
           .limits = limits});
}

Shapes put_shapes(const ShapeView& op) {
  op.require_in_range("index", shapes::product(op.shape("self")));
  return shapes::same(op);
}

/// The values that are written broadcast to their destination.
Shapes put_at_indices_shapes(const ShapeView& op) {
  const auto destination = picked_shape(op);
  if (destination && std::none_of(destination->begin(), destination->end(),
                                  [](const Dim& size) { return size == shapes::unbacked_size(); }))
    op.require_fit("values", *destination);
  return shapes::same(op);
}

Shapes masked_scatter_shapes(const ShapeView& op) {
  return {op.broadcast(op.shape("self"), op.shape("mask"))};
}

}  // namespace

Ref scatter_rows(Emitter& out, Ref x, Ref index, Ref rows, Write write) {
  if (out.shape(index)[0] == Dim(0)) return x;
  if (write.combine == Combine::sum) {
    const DType dtype = out.dtype(x);
    const bool is_bool = dtype == DType::boolean;
    const DType wide = is_bool ? DType::i32 : dtype == DType::f16 ? DType::f32 : dtype;
    if (wide != dtype)
      return out.cast(scatter_rows(out, out.cast(x, wide), index, out.cast(rows, wide), write),
                      dtype);
    if (!write.is_native) return add_rows_by_product(out, x, index, rows);
  }
  const bool is_sum = write.combine == Combine::sum;
  return out.call("tract_core_scatter_nd", {x, out.unsqueeze(index, {1}), rows},
                  {{"reduction", is_sum ? "add" : "none"}}, out.dtype(x), out.shape(x));
}

void register_index_writes(Registry& r) {
  static const std::string limits = cat(computed_masks(), ", except with a single value");
  add_index_write(r,
                  {"aten::index_put", "aten::index_put.hacked_twin", "aten::_index_put_impl",
                   "aten::_unsafe_index_put", "aten::_unsafe_index_put.hacked_twin"},
                  "self with self[indices] = values, or += values", index_put, limits);
  add_index_write(r, {"aten::index_add"}, "self with self[.., index, ..] += alpha * source",
                  index_add);
  add_index_write(r, {"aten::put"}, "self with self.flatten()[index] = source", put);
  r.same({"aten::index_copy"},
         {"tract_core_scatter_nd", "self with self[.., index, ..] = source", index_copy});
  r.same({"aten::index_fill.int_Scalar", "aten::index_fill.int_Tensor"},
         {"tract_core_scatter_nd", "self with self[.., index, ..] = value", index_fill});
  r.add({.op = "aten::masked_scatter",
         .doc = "self, with the elements of source in order where mask",
         .variants = {{has(Feature::core_cumsum), "tract_core_cumsum", masked_scatter},
                      {any_target(), "matmul", masked_scatter}}});
  r.shapes(masked_scatter_shapes, "masked_scatter");
  r.shapes(put_at_indices_shapes, "_index_put_impl _unsafe_index_put index_put");
  r.shapes(put_rows_shapes, "index_add index_copy index_fill");
  r.shapes(put_shapes, "put");
  r.bounds({bounds::put, true}, "index_add index_put _index_put_impl _unsafe_index_put put");
  r.bounds({bounds::kept}, "masked_scatter index_copy index_fill");
  r.rearranges({.axes = {"dim"}}, "index_add index_copy");
  r.rearranges({}, "index_put");
  r.linear("index_fill");
}

}  // namespace t2n::ops
