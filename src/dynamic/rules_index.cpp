// Gathers and scatters: elements at indices that other tensors hold.
#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

Shapes self(const ShapeView& op) { return repeated(op, op.shape("self")); }

/// Each of the first axes has an index tensor or none; a mask replaces as many axes as it has.
void require_indices(const ShapeView& op, const Shape& x) {
  const auto shapes = op.opt_shapes("indices");
  const std::vector<ir::DType> dtypes = op.dtypes("indices");
  auto dtype = dtypes.begin();
  size_t axis = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool masks = shapes[i] && is_mask(*dtype++);
    if (shapes[i] && !masks) op.require_in_range("indices", x.at(axis), i);
    axis += masks ? shapes[i]->size() : 1;
  }
}

/// The values are indices along `dim`.
void require_in_range_along(const ShapeView& op, const Shape& x, const char* name = "index") {
  if (x.empty()) return;
  op.require_in_range(name, x.at(op.axis("dim", dim_rank(x))));
}

/// An index is no larger than its tensor, except along the axis that it indexes.
void require_fits(const ShapeView& op, const Shape& index, const Shape& x, bool along = false) {
  if (x.empty() || index.size() != x.size()) return;
  const size_t axis = op.axis("dim", dim_rank(x));
  for (size_t i = 0; i < x.size(); ++i)
    if (along || i != axis) op.require(index[i], Relation::le, x[i]);
}

/// scatter: each index is the destination of an element of the source.
Shapes scatter(const ShapeView& op) {
  const Shape& index = op.shape("index");
  require_in_range_along(op, op.shape("self"));
  require_fits(op, index, op.shape("self"));
  if (op.is_tensor("src")) require_fits(op, index, op.shape("src"), true);
  return self(op);
}

/// index_add and similar operators: one row of the source for each index.
Shapes put_rows(const ShapeView& op) {
  const Shape& x = op.shape("self");
  require_in_range_along(op, x);
  if (op.is_tensor("source") && !x.empty() && op.shape("source").size() == x.size())
    op.unified(with_dim(x, op.axis("dim", dim_rank(x)), product(op.shape("index"))),
               op.shape("source"));
  return self(op);
}

Shapes put(const ShapeView& op) {
  op.require_in_range("index", product(op.shape("self")));
  return self(op);
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

/// The shape of x[indices]: a mask replaces one index per axis of the mask. Nothing if there are
/// several masks, or a mask without axes.
std::optional<Shape> picked_shape(const ShapeView& op) {
  const std::vector<ir::DType> dtypes = op.dtypes("indices");
  require_indices(op, op.shape("self"));
  if (std::count_if(dtypes.begin(), dtypes.end(), is_mask) > 1) return std::nullopt;
  std::vector<bool> is_indexed;
  Shape picked;
  auto dtype = dtypes.begin();
  for (const auto& shape : op.opt_shapes("indices")) {
    const bool masks = shape && is_mask(*dtype++);
    if (masks && shape->empty()) return std::nullopt;
    if (masks) require_mask(op, *shape, op.shape("self"), is_indexed.size());
    is_indexed.insert(is_indexed.end(), masks ? shape->size() : 1, shape.has_value());
    if (shape) picked = op.broadcast(picked, masks ? Shape{unbacked_size()} : *shape);
  }
  const bool any = std::find(is_indexed.begin(), is_indexed.end(), true) != is_indexed.end();
  return any ? indexed(op.shape("self"), is_indexed, picked) : op.shape("self");
}

Shapes index(const ShapeView& op) {
  const auto out = picked_shape(op);
  if (!out)
    op.unknown("the number of elements selected by several masks, or one without axes, is unknown");
  return {*out};
}

/// The indices of nonzero elements: one row each, with the index along each axis.
Shapes nonzero(const ShapeView& op) {
  return {{unbacked_size(), Dim(static_cast<int64_t>(op.shape("self").size()))}};
}

/// The same as a list, one tensor for each axis.
Shapes nonzero_list(const ShapeView& op) { return repeated(op, {unbacked_size()}); }

/// Each slice once. Indices and counts are results even if they were not requested.
Shapes unique_slices(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return {with_dim(x, axis, unbacked_size()), {x.at(axis)}, {unbacked_size()}};
}

/// Each value once, its indices, and its count; results that were not requested are empty.
Shapes unique(const ShapeView& op) {
  if (op.has("dim")) return unique_slices(op);
  const bool has_inverse = op.boolean("return_inverse"), has_counts = op.boolean("return_counts");
  Shapes out = {{unbacked_size()}, has_inverse ? op.shape("self") : Shape{0}};
  if (op.outputs() > 2) out.push_back({has_counts ? unbacked_size() : Dim(0)});
  return out;
}

Shapes bincount(const ShapeView&) { return {{unbacked_size()}}; }

/// The boxes that are not suppressed.
Shapes nms(const ShapeView& op) {
  op.unified(op.shape("dets").at(0), op.shape("scores").at(0));
  return {{unbacked_size()}};
}

Shapes masked_select(const ShapeView& op) {
  op.broadcast(op.shape("self"), op.shape("mask"));
  return {{unbacked_size()}};
}

/// The values that are written broadcast to their destination.
Shapes put_at_indices(const ShapeView& op) {
  const auto destination = picked_shape(op);
  if (destination && std::none_of(destination->begin(), destination->end(),
                                  [](const Dim& size) { return size == unbacked_size(); }))
    op.require_fit("values", *destination);
  return self(op);
}

Shapes copy(const ShapeView& op) {
  op.require_fit("src", op.shape("self"));
  return self(op);
}

Shapes index_select(const ShapeView& op) {
  const Shape& x = op.shape("self");
  require_in_range_along(op, x);
  return {with_dim(x, op.axis("dim", dim_rank(x)), product(op.shape("index")))};
}

Shapes gather(const ShapeView& op) {
  require_in_range_along(op, op.shape("self"));
  require_fits(op, op.shape("index"), op.shape("self"));
  return {op.shape("index")};
}

Shapes take(const ShapeView& op) {
  op.require_in_range("index", product(op.shape("self")));
  return {op.shape("index")};
}

Shapes take_along_dim(const ShapeView& op) {
  Shape indices = op.shape("indices");
  const Shape& x = op.shape("self");
  if (!op.has("dim")) {
    op.require_in_range("indices", product(x));
    return {{product(indices)}};
  }
  require_in_range_along(op, x, "indices");
  const int axis = op.axis("dim", dim_rank(x));
  const Dim size = indices.at(axis);
  return {with_dim(op.broadcast(with_dim(x, axis, 1), with_dim(indices, axis, 1)), axis, size)};
}

Shapes embedding(const ShapeView& op) {
  Shape out = op.shape("indices");
  const Shape& table = op.shape("weight");
  op.require_in_range("indices", table.at(0));
  out.push_back(table.at(1));
  return {out};
}

/// One row per bag; the other results are internal to torch.
Shapes embedding_bag(const ShapeView& op) {
  const Dim ends = op.boolean("include_last_offset") ? 1 : 0;
  Shapes out;
  for (size_t i = 0; i < op.outputs(); ++i) out.push_back(op.traced(i));
  out.at(0) = {op.shape("offsets").at(0) - ends, op.shape("weight").at(1)};
  return out;
}

Shapes one_hot(const ShapeView& op) {
  const Dim classes = op.dim("num_classes");
  Shape out = op.shape("self");
  out.push_back(classes == Dim(-1) ? unbacked_size() : classes);
  return {out};
}

Shapes masked_scatter(const ShapeView& op) {
  return {op.broadcast(op.shape("self"), op.shape("mask"))};
}

}  // namespace

void add_index_rules(ShapeRules& r) {
  r.add(index, "index _unsafe_index");
  r.add(nonzero, "nonzero argwhere");
  r.add(nonzero_list, "nonzero_numpy");
  r.add(masked_select, "masked_select t2n::batch_sizes");
  r.add(unique, "_unique _unique2 unique_consecutive unique_dim unique_dim_consecutive");
  r.add(bincount, "bincount");
  r.add(nms, "torchvision::nms");
  r.add(index_select, "index_select");
  r.add(gather, "gather");
  r.add(take, "take");
  r.add(take_along_dim, "take_along_dim");
  r.add(embedding, "embedding");
  r.add(embedding_bag, "embedding_bag _embedding_bag _embedding_bag_forward_only");
  r.add(one_hot, "one_hot");
  r.add(masked_scatter, "masked_scatter");
  r.add(put_at_indices, "_index_put_impl _unsafe_index_put index_put");
  r.add(put_rows, "index_add index_copy index_fill index_reduce");
  r.add(scatter, "scatter scatter_add scatter_reduce");
  r.add(put, "put");
  r.add(copy, "copy");
  r.add(self, "diagonal_scatter embedding_renorm");
}

}  // namespace t2n::dynamic
