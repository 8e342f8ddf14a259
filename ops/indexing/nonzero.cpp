// SPDX-License-Identifier: Apache-2.0
// Positions of nonzero elements: the number of results depends on the data.
#include "ops/indexing/families.h"
#include "ops/structure/index.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// The symbol of the number of nonzero elements. Refuses a result without one.
Dim count_of(const OpView& op, const Emitter& out, Ref x) {
  if (out.rank(x) == 0 || !is_unbacked(op.shape()))
    op.refuse_op(Limit::data_dependent_shape, "use torch.where, or give it a tensor with axes");
  return op.shape()[0];
}

/// One row for each element.
void nonzero_rows(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  finish(op, out, out.transpose(nonzero(out, x, count_of(op, out, x)), {1, 0}));
}

/// One result for each axis.
void nonzero_columns(const OpView& op, Emitter& out) {
  const Ref x = op.tensor(op.has_argument("self") ? "self" : "condition");
  const std::vector<Ref> indices = nonzero_indices(out, x, count_of(op, out, x));
  for (size_t i = 0; i < indices.size(); ++i) finish(op, out, indices[i], static_cast<int>(i));
}

/// The indices of nonzero elements: one row each, with the index along each axis.
Shapes nonzero_shapes(const ShapeView& op) {
  return {{shapes::unbacked_size(), Dim(static_cast<int64_t>(op.shape("self").size()))}};
}

/// The same as a list, one tensor for each axis.
Shapes nonzero_list_shapes(const ShapeView& op) { return repeated(op, {shapes::unbacked_size()}); }

}  // namespace

void register_nonzero(Registry& r) {
  const auto add = [&](std::string_view op, std::string_view doc, Translate translate) {
    r.add({.op = op,
           .doc = doc,
           .variants = {{has(Feature::non_zero), "tract_onnx_non_zero", translate}}});
  };
  add("aten::nonzero", "the indices of nonzero elements, one row per element", nonzero_rows);
  add("aten::argwhere", "the indices of nonzero elements, one row per element", nonzero_rows);
  add("aten::nonzero_numpy", "the indices of nonzero elements, one tensor per axis",
      nonzero_columns);
  add("aten::where", "the indices of nonzero elements, one tensor per axis", nonzero_columns);
  r.shapes(nonzero_shapes, "nonzero argwhere");
  r.shapes(nonzero_list_shapes, "nonzero_numpy");
  r.bounds({bounds::count}, "nonzero argwhere");
}

}  // namespace t2n::ops
