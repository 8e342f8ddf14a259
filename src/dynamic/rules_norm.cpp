// Normalisations, with the statistics that some give beside the result.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

Shapes same(const ShapeView& op) { return repeated(op, op.first()); }

/// The statistics have ones where the result was normalised.
Shapes layer_norm(const ShapeView& op) {
  const Shape& x = op.shape("input");
  Shape statistics = x;
  const size_t count = op.dims("normalized_shape").size();
  for (size_t i = x.size() - count; i < x.size(); ++i) statistics[i] = 1;
  Shapes out = repeated(op, statistics);
  out.at(0) = x;
  return out;
}

Shapes group_norm(const ShapeView& op) {
  const Shape statistics = {op.dim("N"), op.dim("group")};
  return {op.shape("input"), statistics, statistics};
}

/// Statistics per channel in training; none otherwise.
Shapes batch_norm(const ShapeView& op) {
  const Shape& x = op.shape("input");
  Shapes out = repeated(op, Shape{op.boolean("training") ? x.at(1) : Dim(0)});
  out.at(0) = x;
  return out;
}

/// One norm for each index of `dim`.
Shapes weight_norm(const ShapeView& op) {
  return op.outputs() == 1 ? Shapes{op.shape("v")} : Shapes{op.shape("v"), op.shape("g")};
}

}  // namespace

void add_norm_rules(ShapeRules& r) {
  r.add(same, "batch_norm group_norm instance_norm layer_norm rms_norm");
  r.add(layer_norm, "native_layer_norm _fused_rms_norm");
  r.add(group_norm, "native_group_norm");
  r.add(batch_norm,
        "native_batch_norm _native_batch_norm_legit "
        "_native_batch_norm_legit_no_training _batch_norm_no_update");
  r.add(weight_norm, "_weight_norm _weight_norm_interface");
}

}  // namespace t2n::dynamic
