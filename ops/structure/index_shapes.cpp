// SPDX-License-Identifier: Apache-2.0
#include "ops/structure/index_shapes.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {

namespace {

/// Each of the first axes has an index tensor or none; a mask replaces as many axes as it has.
void require_indices(const ShapeView& op, const Shape& x) {
  const auto shapes = op.opt_shapes("indices");
  const std::vector<DType> dtypes = op.dtypes("indices");
  auto dtype = dtypes.begin();
  size_t axis = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool masks = shapes[i] && shapes::is_mask(*dtype++);
    if (shapes[i] && !masks) op.require_in_range("indices", x.at(axis), i);
    axis += masks ? shapes[i]->size() : 1;
  }
}

/// The indexed axes come first in the result, unless they are adjacent in x.
Shape indexed(const Shape& x, const std::vector<bool>& is_indexed, const Shape& picked) {
  const auto first = std::find(is_indexed.begin(), is_indexed.end(), true);
  const auto next = std::find(first, is_indexed.end(), false);
  const bool neighbours = std::find(next, is_indexed.end(), true) == is_indexed.end();
  const auto position = neighbours ? static_cast<size_t>(first - is_indexed.begin()) : 0;
  Shape out;
  for (size_t i = 0; i < x.size(); ++i)
    if (i >= is_indexed.size() || !is_indexed[i]) out.push_back(x[i]);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(position), picked.begin(), picked.end());
  return out;
}

/// The axes of a mask have the sizes of the axes that it replaces.
void require_mask(const ShapeView& op, const Shape& mask, const Shape& x, size_t axis) {
  for (size_t i = 0; i < mask.size(); ++i) op.unified(x.at(axis + i), mask[i]);
}

}  // namespace

void require_in_range_along(const ShapeView& op, const Shape& x, const char* name) {
  if (x.empty()) return;
  op.require_in_range(name, x.at(op.axis("dim", dim_rank(x))));
}

void require_fits(const ShapeView& op, const Shape& index, const Shape& x, bool along) {
  if (x.empty() || index.size() != x.size()) return;
  const size_t axis = op.axis("dim", dim_rank(x));
  for (size_t i = 0; i < x.size(); ++i)
    if (along || i != axis) op.require(index[i], Relation::le, x[i]);
}

std::optional<Shape> picked_shape(const ShapeView& op) {
  const std::vector<DType> dtypes = op.dtypes("indices");
  require_indices(op, op.shape("self"));
  if (std::count_if(dtypes.begin(), dtypes.end(), shapes::is_mask) > 1) return std::nullopt;
  std::vector<bool> is_indexed;
  Shape picked;
  auto dtype = dtypes.begin();
  for (const auto& shape : op.opt_shapes("indices")) {
    const bool masks = shape && shapes::is_mask(*dtype++);
    if (masks && shape->empty()) return std::nullopt;
    if (masks) require_mask(op, *shape, op.shape("self"), is_indexed.size());
    is_indexed.insert(is_indexed.end(), masks ? shape->size() : 1, shape.has_value());
    if (shape) picked = op.broadcast(picked, masks ? Shape{shapes::unbacked_size()} : *shape);
  }
  const bool any = std::find(is_indexed.begin(), is_indexed.end(), true) != is_indexed.end();
  return any ? indexed(op.shape("self"), is_indexed, picked) : op.shape("self");
}

}  // namespace t2n::ops
