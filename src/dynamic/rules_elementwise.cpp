// Elementwise operators that are not in the table of elementwise translations.
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// One slope, or one for each channel.
Shapes prelu(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape& slope = op.shape("weight");
  if (slope.size() == 1) op.require_fit(slope, {dim_rank(x) > 1 ? x.at(1) : Dim(1)});
  return {x};
}

Shapes none(const ShapeView& op) { return repeated(op, {}); }

/// The shape of the values that are looked up, under either argument name; a number gives a number.
/// Each row is looked up in the row of the same index.
Shapes looked_up(const ShapeView& op) {
  if (op.has("sorted_sequence") && op.shape("sorted_sequence").size() > 1)
    op.unified(all_but_last(op.shape("sorted_sequence"), 1), all_but_last(op.shape("self"), 1));
  for (const char* name : {"elements", "self"})
    if (op.has(name)) return {op.is_tensor(name) ? op.shape(name) : ir::Shape()};
  return {{}};
}

/// With a condition alone: the positions where it is true, along each axis.
Shapes where(const ShapeView& op) { return repeated(op, {unbacked_size()}); }

}  // namespace

void add_elementwise_rules(ShapeRules& r) {
  // Operators without a translation, and those with tensors that do not broadcast. The others are
  // elementwise in the table of translations.
  r.add(broadcast, "complex polar");
  r.add(same,
        "_neg_view _prelu_kernel alpha_dropout bernoulli dropout feature_alpha_dropout "
        "feature_dropout imag isreal pin_memory positive special_airy_ai special_round to.other "
        "type_as");
  r.add(prelu, "prelu");
  r.add(where, "where");
  r.add(looked_up, "bucketize searchsorted isin");
  r.add(none,
        "_is_all_true _is_any_true as_tensor.bool as_tensor.float as_tensor.int "
        "scalar_tensor tensor.bool tensor.float tensor.int");
}

}  // namespace t2n::dynamic
