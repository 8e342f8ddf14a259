// SPDX-License-Identifier: Apache-2.0
// Reading elements at positions that other tensors hold.
#include "ops/structure/index.h"

#include <cmath>

#include "ops/structure/families.h"
#include "ops/structure/index_shapes.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/nan.h"
#include "src/translate/registry.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// Operations whose result has as many elements as the index.
void embedding(const OpView& op, Emitter& out) {
  op.ignore_all({"padding_idx", "scale_grad_by_freq", "sparse"}, "they matter to gradients only");
  const Ref indices = op.tensor("indices");
  out.declare_positions(indices);
  finish(op, out, take(out, op.tensor("weight"), indices, 0));
}

/// x[.., i, .., j, ..]: the indexed axes become one, then the result's axes take their place.
void index(const OpView& op, Emitter& out) {
  Ref x = op.tensor("self");
  const Positions at = positions(op, out, x, true);
  if (at.axes.empty()) return finish(op, out, x);
  auto first = static_cast<int>(at.axes[0]);
  if (at.axes.size() > 1) {
    if (!is_adjacent(at.axes)) {
      x = out.transpose(x, to_front(at.axes, out.rank(x)));
      first = 0;
    }
    Shape shape = out.shape(x);
    const auto begin = shape.begin() + first;
    const auto end = begin + static_cast<std::ptrdiff_t>(at.axes.size());
    Dim count = 1;
    std::for_each(begin, end, [&](const Dim& size) { count = count * size; });
    shape.erase(begin + 1, end);
    x = out.reshape(x, with_size(shape, first, count));
  }
  finish(op, out, take(out, x, at.index, first));
}

void index_select(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref index = at_least_1d(out, op.tensor("index"));
  out.declare_positions(index);
  const Ref y = take(out, at_least_1d(out, self), index, op.axis("dim"));
  finish(op, out, out.reshape(y, op.shape()));
}

Ref gather_elements(Emitter& out, Ref x, Ref index, int axis) {
  return out.call("tract_core_gather_elements", {x, index}, {{"axis", axis}}, out.dtype(x),
                  out.shape(index));
}

void gather(const OpView& op, Emitter& out) {
  op.ignore("sparse_grad", "it matters to gradients only");
  const Ref x = at_least_1d(out, op.tensor("self"));
  const Ref index = at_least_1d(out, op.tensor("index"));
  out.declare_positions(index);
  const Ref y = gather_elements(out, x, index, op.axis("dim"));
  finish(op, out, out.reshape(y, op.shape()));
}

/// Both operands broadcast, except along dim.
void take_along_dim(const OpView& op, Emitter& out) {
  Ref x = op.tensor("self");
  Ref index = op.tensor("indices");
  if (op.is_none("dim"))
    return finish(op, out, gather_elements(out, flattened(out, x), flattened(out, index), 0));
  const int axis = op.axis("dim");
  const size_t at = axis;
  const Shape& shape = op.shape();
  index = out.broadcast_to(index, with_size(shape, axis, out.shape(index).at(at)));
  x = out.broadcast_to(x, with_size(shape, axis, out.shape(x).at(at)));
  finish(op, out, gather_elements(out, x, index, axis));
}

void take_flat(const OpView& op, Emitter& out) {
  finish(op, out, take(out, flattened(out, op.tensor("self")), op.tensor("index"), 0));
}

/// Selection by a mask that the model computes; the size of the result is a symbol.
void select_computed(const OpView& op, Emitter& out, Ref self, Ref mask) {
  if (!out.has(target::Feature::non_zero) || !is_unbacked(op.shape()))
    op.refuse("mask", Limit::data_dependent_shape, computed_mask_help());
  const Shape shape = out.broadcast(out.shape(self), out.shape(mask));
  const Ref x = flattened(out, out.broadcast_to(self, shape));
  const Ref flags = flattened(out, out.broadcast_to(mask, shape));
  finish(op, out, take(out, x, nonzero_indices(out, flags, op.shape()[0])[0], 0));
}

/// A constant mask is a list of positions.
void masked_select(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref mask = op.tensor("mask");
  if (!out.constant_value(mask)) return select_computed(op, out, self, mask);
  out.sizes(mask);
  const Shape shape = out.broadcast(out.shape(self), out.shape(mask));
  const Ref x = out.broadcast_to(self, shape);
  const Ref same = out.broadcast_to(mask, shape);
  const Ints flags = ir::to_i64(*out.constant_value(same));
  Ints chosen;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  const Ref index = int_constant(out, chosen, {static_cast<int64_t>(chosen.size())}, "index");
  finish(op, out, take(out, flattened(out, x), index, 0));
}

/// The number of boundaries below each value. NaN is above all of them, and none is above it.
Ref count_below(Emitter& out, Ref values, Ref boundaries, bool counts_equal) {
  const int last = out.rank(values);
  const Ref column = out.unsqueeze(values, {last});
  Ref is_below = compare(out, counts_equal ? "le" : "lt", boundaries, column);
  if (ir::is_float(out.dtype(values)) && may_meet_nan(out))  // a search passes NaN
    is_below = logical_not(out, compare(out, counts_equal ? "gt" : "ge", boundaries, column));
  const Ref count = reduce(out, "sum_reduce", out.cast(is_below, DType::i64), {last});
  return out.squeeze(count, {last});
}

/// The dtype of the comparison, by torch's promotion: boundaries have axes, a value may have none.
DType comparison_dtype(const OpView& op, const Emitter& out, DType boundaries) {
  if (!op.is_tensor("self")) {
    const bool is_integer = op.is_symbolic("self") || std::trunc(op.f64("self")) == op.f64("self");
    if (ir::is_float(boundaries)) return boundaries;
    return !is_integer ? DType::f32 : boundaries == DType::boolean ? DType::i64 : boundaries;
  }
  const Ref self = op.tensor("self");
  const DType own = out.dtype(self);
  if (ir::is_float(own) != ir::is_float(boundaries)) return ir::is_float(own) ? own : boundaries;
  if (own == boundaries || boundaries == DType::boolean) return own;
  if (own == DType::boolean || out.rank(self) == 0) return boundaries;
  if (!ir::is_float(own)) return DType::i64;
  return ir::dtype_size(own) > ir::dtype_size(boundaries) ? own : boundaries;
}

std::pair<Ref, Ref> searched(const OpView& op, Emitter& out, Ref boundaries) {
  const DType dtype = comparison_dtype(op, out, out.dtype(boundaries));
  return {operand(op, out, "self", dtype), out.cast(boundaries, dtype)};
}

void bucketize(const OpView& op, Emitter& out) {
  op.ignore("out_int32", "the result's dtype shows it");
  const auto [self, boundaries] = searched(op, out, op.tensor("boundaries"));
  finish(op, out, count_below(out, self, boundaries, op.boolean("right")));
}

/// Rows of values are searched in their own row of the sequence, or all in its only row.
void searchsorted(const OpView& op, Emitter& out) {
  op.ignore("out_int32", "the result's dtype shows it");
  const auto side = op.opt_str("side");
  const bool counts_equal = op.boolean("right") || side == "right";
  Ref boundaries = op.tensor("sorted_sequence");
  if (const auto sorter = op.opt_tensor("sorter"))
    boundaries =
        gather_elements(out, boundaries, out.cast(*sorter, DType::i64), out.rank(boundaries) - 1);
  const auto [self, sequence] = searched(op, out, boundaries);
  const int rank = out.rank(sequence);
  const Ref rows = rank > 1 ? out.unsqueeze(sequence, {rank - 1}) : sequence;
  finish(op, out, count_below(out, self, rows, counts_equal));
}

void isin(const OpView& op, Emitter& out) {
  op.ignore("assume_unique", "it allows another algorithm only");
  const bool has_many = op.has_argument("test_elements");
  const std::string_view tests_name = has_many ? "test_elements" : "test_element";
  const std::string_view elements_name = op.has_argument("elements") ? "elements" : "element";
  const std::string_view typed = op.is_tensor(elements_name) ? elements_name : tests_name;
  const DType dtype = out.dtype(op.tensor(typed));
  const Ref elements = operand(op, out, elements_name, dtype);
  const Ref tests = operand(op, out, tests_name, dtype);
  const int last = out.rank(elements);
  const Ref row = has_many ? flattened(out, tests) : out.unsqueeze(tests, {0});
  const Ref same = compare(out, "eq", out.unsqueeze(elements, {last}), row);
  const Ref found = out.squeeze(reduce(out, "max_reduce", same, {last}), {last});
  finish(op, out, op.boolean("invert") ? logical_not(out, found) : found);
}

void register_searches(Registry& r) {
  r.same({"aten::bucketize.Tensor", "aten::bucketize.Scalar"},
         {"sum_reduce", "number of boundaries below self", bucketize});
  r.same({"aten::searchsorted.Tensor", "aten::searchsorted.Scalar"},
         {"sum_reduce", "number of elements of sorted_sequence below self", searchsorted});
  r.same({"aten::isin.Tensor_Tensor", "aten::isin.Tensor_Scalar", "aten::isin.Scalar_Tensor"},
         {"max_reduce", "whether elements occur in test_elements", isin, ir::Promotion::operands});
}

/// The shape of the values that are looked up, under either argument name; a number gives a number.
/// Each row is looked up in the row of the same index.
Shapes looked_up_shapes(const ShapeView& op) {
  if (op.has("sorted_sequence") && op.shape("sorted_sequence").size() > 1)
    op.unified(all_but_last(op.shape("sorted_sequence"), 1), all_but_last(op.shape("self"), 1));
  for (const char* name : {"elements", "self"})
    if (op.has(name)) return {op.is_tensor(name) ? op.shape(name) : Shape()};
  return {{}};
}

Shapes index_shapes(const ShapeView& op) {
  const auto out = picked_shape(op);
  if (!out)
    op.unknown("the number of elements selected by several masks, or one without axes, is unknown");
  return {*out};
}

Shapes masked_select_shapes(const ShapeView& op) {
  op.broadcast(op.shape("self"), op.shape("mask"));
  return {{shapes::unbacked_size()}};
}

Shapes index_select_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  require_in_range_along(op, x);
  return {with_dim(x, op.axis("dim", dim_rank(x)), shapes::product(op.shape("index")))};
}

Shapes gather_shapes(const ShapeView& op) {
  require_in_range_along(op, op.shape("self"));
  require_fits(op, op.shape("index"), op.shape("self"));
  return {op.shape("index")};
}

Shapes take_shapes(const ShapeView& op) {
  op.require_in_range("index", shapes::product(op.shape("self")));
  return {op.shape("index")};
}

Shapes take_along_dim_shapes(const ShapeView& op) {
  Shape indices = op.shape("indices");
  const Shape& x = op.shape("self");
  if (!op.has("dim")) {
    op.require_in_range("indices", shapes::product(x));
    return {{shapes::product(indices)}};
  }
  require_in_range_along(op, x, "indices");
  const int axis = op.axis("dim", dim_rank(x));
  const Dim size = indices.at(axis);
  return {with_dim(op.broadcast(with_dim(x, axis, 1), with_dim(indices, axis, 1)), axis, size)};
}

Shapes embedding_shapes(const ShapeView& op) {
  Shape out = op.shape("indices");
  const Shape& table = op.shape("weight");
  op.require_in_range("indices", table.at(0));
  out.push_back(table.at(1));
  return {out};
}

}  // namespace

void register_index(Registry& r) {
  r.same({"aten::embedding"}, {"tract_core_gather", "weight[indices]", embedding});
  r.same({"aten::index_select"}, {"tract_core_gather", "self[.., index, ..] at dim", index_select});
  r.same({"aten::gather"},
         {"tract_core_gather_elements", "y[i, j] = self[i, index[i, j]] along dim", gather});
  r.same({"aten::take_along_dim"}, {"tract_core_gather_elements",
                                    "y[i, j] = self[i, indices[i, j]] along dim", take_along_dim});
  r.same({"aten::take"}, {"tract_core_gather", "self.flatten()[index]", take_flat});
  r.same({"aten::index.Tensor", "aten::index.Tensor_hacked_twin", "aten::_unsafe_index.Tensor",
          "aten::_unsafe_index.Tensor_hacked_twin"},
         {"tract_core_gather", "self[indices]", index, {}, computed_masks()});
  r.same({"aten::masked_select"},
         {"tract_core_gather", "self[mask]", masked_select, {}, computed_masks()});
  register_searches(r);
  r.shapes(looked_up_shapes, "bucketize searchsorted isin");
  r.shapes(index_shapes, "index _unsafe_index");
  r.shapes(masked_select_shapes, "masked_select");
  r.shapes(index_select_shapes, "index_select");
  r.shapes(gather_shapes, "gather");
  r.shapes(take_shapes, "take");
  r.shapes(take_along_dim_shapes, "take_along_dim");
  r.shapes(embedding_shapes, "embedding");
  r.bounds({bounds::count}, "searchsorted bucketize");
  r.bounds({bounds::kept},
           "masked_select index _unsafe_index index_select gather take take_along_dim "
           "embedding");
  r.zero_signs(ZeroSign::propagated, "embedding index_select gather");
  r.rearranges({}, "index");
  r.rearranges({.axes = {"dim"}}, "index_select");
  r.linear("gather masked_select take take_along_dim");
}

}  // namespace t2n::ops
