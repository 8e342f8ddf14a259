// SPDX-License-Identifier: Apache-2.0
#include "src/shapes/shape_rule.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/diag/one_of.h"

namespace t2n::shapes {

using ir::Dim;
using ir::Shape;

RuleResult apply_shape_rule(ShapeRule rule, const ShapeView& op) {
  try {
    RuleResult out{rule(op), {}, false};
    for (Shape& shape : out.shapes)
      for (Dim& dim : shape) dim = op.constraints().simplified(dim);
    if (out.shapes.size() != op.outputs())
      return {{}, cat(out.shapes.size(), " shapes for ", op.outputs(), " outputs"), true};
    return out;
  } catch (const Error& error) {
    const Diagnostic& refusal = error.diagnostic();
    const bool is_known = refusal.id == "dynamic-size";
    return {{}, is_known ? refusal.why : headline(refusal), !is_known};
  } catch (const std::exception& error) {  // an argument of another type, or an index out of range
    return {{}, error.what(), true};
  }
}

Dim unbacked_size() { return Dim::symbol(Symbol::Unbacked{}); }

Dim product(const Shape& dims) {
  Dim out = 1;
  for (const Dim& dim : dims) out = out * dim;
  return out;
}

Dim ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }

int dim_rank(const Shape& shape) { return shape.empty() ? 1 : static_cast<int>(shape.size()); }

bool is_mask(ir::DType dtype) { return dtype == ir::DType::boolean || dtype == ir::DType::u8; }

Shape atleast_nd(Shape shape, size_t rank) {
  if (rank >= 1 && shape.empty()) shape = {1};
  if (rank >= 2 && shape.size() == 1) shape = {1, shape[0]};
  if (rank >= 3 && shape.size() == 2) shape.push_back(1);
  return shape;
}

Shapes swapped(Shape shape, int a, int b) {
  if (!shape.empty()) std::swap(shape.at(a), shape.at(b));
  return {shape};
}

Shape with_dim(Shape shape, int axis, const Dim& size) {
  if (!shape.empty()) shape.at(axis) = size;
  return shape;
}

Shape without(const Shape& shape, const ir::Ints& axes, bool keepdim) {
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool is_removed =
        std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!is_removed) out.push_back(shape[i]);
    if (is_removed && keepdim) out.push_back(1);
  }
  return out;
}

Shape last_dims(const Shape& shape, size_t count) {
  T2N_ASSERT(count <= shape.size(), "a rank of ", shape.size());
  return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

Shape all_but_last(const Shape& shape, size_t count) {
  T2N_ASSERT(count <= shape.size(), "a rank of ", shape.size());
  return {shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(count)};
}

Shapes broadcast(const ShapeView& op) { return repeated(op, op.broadcast(op.operands())); }

Shapes same(const ShapeView& op) { return repeated(op, op.first()); }

Shapes numbers(const ShapeView& op) { return repeated(op, {}); }

Shapes repeated(const ShapeView& op, const Shape& shape) { return Shapes(op.outputs(), shape); }

Shape reduced(const ShapeView& op) {
  const Shape& x = op.first();
  return without(x, op.axes("dim", dim_rank(x)), op.boolean("keepdim"));
}

Shapes reduce(const ShapeView& op) {
  constexpr std::array<std::string_view, 7> kExtremes = {"amax",   "amin",   "max",    "min",
                                                         "argmax", "argmin", "aminmax"};
  const Shape& x = op.first();
  // torch rejects the maximum of an empty axis.
  if (is_one_of(ir::op_short_name(op.op()), kExtremes))
    for (const int64_t axis : op.axes("dim", dim_rank(x)))
      if (!x.empty() && ir::is_unbacked(x.at(axis))) op.require(x.at(axis), Relation::ge, 1);
  return repeated(op, reduced(op));
}

Shapes reduce_pairs(const ShapeView& op) {
  const Shape both = op.broadcast(op.operands());
  const int rank = dim_rank(both);
  const int axis = op.has("dim") ? op.axis("dim", rank) : rank - 1;
  return {without(both, {axis}, op.boolean("keepdim"))};
}

}  // namespace t2n::shapes
