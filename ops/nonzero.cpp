// Positions of nonzero elements: the number of results depends on the data.
#include "ops/all.h"
#include "ops/index.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// The symbol of their number; refused if there is none, as for a tensor without axes.
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
  const std::vector<Ref> places = nonzero_indices(out, x, count_of(op, out, x));
  for (size_t i = 0; i < places.size(); ++i) finish(op, out, places[i], static_cast<int>(i));
}

}  // namespace

void register_nonzero(Registry& r) {
  const auto add = [&](std::string_view op, std::string_view doc, Translate translate) {
    r.add({.op = op,
           .doc = doc,
           .variants = {{has(Feature::non_zero), "tract_onnx_non_zero", translate}}});
  };
  add("aten::nonzero", "the place of each element that is not zero", nonzero_rows);
  add("aten::argwhere", "the place of each element that is not zero", nonzero_rows);
  add("aten::nonzero_numpy", "the places of what is not zero, for each axis", nonzero_columns);
  add("aten::where", "the places of what is not zero, for each axis", nonzero_columns);
}

}  // namespace t2n::ops
