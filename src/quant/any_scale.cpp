// SPDX-License-Identifier: Apache-2.0
// Operators that do not depend on the scale. Their result has the operand's scale, or is not
// quantised.
#include "ir/op_traits.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

void dequantize(QuantBuilder& b) {
  for (const std::string_view list : {"tensors", "qtensors"}) {
    if (!b.has(list) || !std::holds_alternative<ir::TensorRefs>(*b.find(list))) continue;
    const std::vector<ValueId> all = b.dequantised_list(list);
    for (size_t i = 0; i < all.size(); ++i) b.define(all[i], static_cast<int>(i));
    return;
  }
  for (const std::string_view one : {"self", "qtensor", "tensors"})
    if (b.has(one)) return b.define(b.dequantised(one));
}

/// Integers that may exceed f32's 24 bits are exact only if they are constants.
void int_repr(QuantBuilder& b) {
  const ValueId id = b.original("self");
  if (b.may_be_wide(id) && b.resolve(id) != id)
    return b.refuse(
        "its integers have more than the 24 bits that f32 holds",
        "quantise to 8 bits, or use the integers before they become a quantised tensor");
  b.define(b.integers("self"));
}

/// They rearrange integers. The result may have other parameters: a view of a per-channel quantised
/// tensor may have another axis, or one scale.
void move(QuantBuilder& b) { b.shares_zero_point() ? b.apply_to_centred() : b.apply_to_integers(); }

/// They compare elements; integers have the order of the floats. Operands with different scales are
/// requantised, as in a concatenation.
void choose_elements(QuantBuilder& b) {
  b.have_equal_qparams() ? b.apply_to_centred() : b.apply_to_dequantised(ZeroPoint::fused);
}

/// A copy, which may change the device or memory format, but not the type of elements.
void copy_to(QuantBuilder& b) {
  b.ignore_rest("all elements and their scale stay");
  const DynamicScale scale = b.dynamic_scale("self");
  if (scale.scale == ir::kNoValue) return b.define(b.centred("self"));
  b.define_dynamic(b.centred("self"), scale);
}

constexpr std::string_view kChoose[] = {"adaptive_max_pool1d",
                                        "adaptive_max_pool2d",
                                        "amax",
                                        "amin",
                                        "argmax",
                                        "argmin",
                                        "argsort",
                                        "max",
                                        "max_pool1d",
                                        "max_pool2d",
                                        "max_pool3d",
                                        "min",
                                        "relu",
                                        "sort",
                                        "topk",
                                        "cat",
                                        "concat",
                                        "stack",
                                        "scatter"};

QuantRules any_scale_table() {
  QuantRules out = {
      {"dequantize", dequantize}, {"int_repr", int_repr}, {"to", copy_to}, {"_to_copy", copy_to}};
  for (const std::string_view name : ir::names_with(ir::OpTrait::moves_elements))
    out.emplace(name, move);
  for (const std::string_view name : kChoose) out.emplace(name, choose_elements);
  return out;
}

}  // namespace

const QuantRules& any_scale_rules() {
  static const QuantRules rules = any_scale_table();
  return rules;
}

}  // namespace t2n::quant
