// Normalisations, with the statistics that some return in addition.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// Each parameter has one element per channel, in any shape.
void require_channels(const ShapeView& op) {
  for (const char* name : {"weight", "bias", "running_mean", "running_var"})
    if (op.has(name)) op.unified(product(op.shape(name)), op.shape("input").at(1));
}

Shapes by_channel(const ShapeView& op) {
  require_channels(op);
  return {op.shape("input")};
}

/// The last axes have the sizes of `normalized_shape`, and so have the parameters.
void require_last(const ShapeView& op) {
  const Shape size = op.dims("normalized_shape");
  for (const Dim& each : size)  // tract divides by it
    if (!each.is_constant()) op.require(each, Relation::ge, 1);
  op.unified(last_dims(op.shape("input"), size.size()), size);
  for (const char* name : {"weight", "bias"})
    if (op.is_tensor(name)) op.unified(op.shape(name), size);
}

Shapes over_last(const ShapeView& op) {
  require_last(op);
  return {op.shape("input")};
}

/// The statistics have size 1 along the normalised axes.
Shapes layer_norm(const ShapeView& op) {
  require_last(op);
  const Shape& x = op.shape("input");
  Shape statistics = x;
  const size_t count = op.dims("normalized_shape").size();
  for (size_t i = x.size() - count; i < x.size(); ++i) statistics[i] = 1;
  Shapes out = repeated(op, statistics);
  out.at(0) = x;
  return out;
}

Shapes group_norm(const ShapeView& op) {
  require_channels(op);
  const Shape statistics = {op.dim("N"), op.dim("group")};
  return {op.shape("input"), statistics, statistics};
}

/// Statistics per channel in training; otherwise empty ones.
Shapes batch_norm(const ShapeView& op) {
  require_channels(op);
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
  r.add(by_channel, "batch_norm group_norm instance_norm");
  r.add(over_last, "layer_norm rms_norm");
  r.add(layer_norm, "native_layer_norm _fused_rms_norm");
  r.add(group_norm, "native_group_norm");
  r.add(batch_norm,
        "native_batch_norm _native_batch_norm_legit "
        "_native_batch_norm_legit_no_training _batch_norm_no_update");
  r.add(weight_norm, "_weight_norm _weight_norm_interface");
}

}  // namespace t2n::dynamic
