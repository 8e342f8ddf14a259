// Operators that act in the same way at any scale. Their result has the scale of the operand, or is
// no longer quantised.
#include "ir/op_traits.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

void dequantize(QuantBuilder& b) {
  for (const std::string_view list : {"tensors", "qtensors"}) {
    if (!b.has(list) || !std::holds_alternative<ir::TensorRefs>(*b.find(list))) continue;
    const std::vector<ValueId> all = b.reals(list);
    for (size_t i = 0; i < all.size(); ++i) b.define(all[i], static_cast<int>(i));
    return;
  }
  for (const std::string_view one : {"self", "qtensor", "tensors"})
    if (b.has(one)) return b.define(b.real(one));
}

/// Integers that f32 may not hold are only exact if they are constants.
void int_repr(QuantBuilder& b) {
  const ValueId id = b.original("self");
  if (b.may_be_wide(id) && b.resolve(id) != id)
    return b.refuse("its integers have more than the 24 bits that f32 holds",
                    "quantise to 8 bits, or take the integers before they are made a tensor");
  b.define(b.integers("self"));
}

/// They rearrange integers, whatever the scale of the result: a view of a tensor with a scale for
/// each channel may have another axis, or one scale.
void move(QuantBuilder& b) { b.shares_zero_point() ? b.keep_on_steps() : b.keep_on_integers(); }

/// They compare elements: steps have the order of the reals. Several operands are requantised, as
/// they are when they are joined.
void choose_elements(QuantBuilder& b) {
  b.are_equal() ? b.keep_on_steps() : b.redo_on_reals(ZeroPoint::fused);
}

/// A copy, which may lie elsewhere or in another order: the type of elements stays.
void copy_to(QuantBuilder& b) {
  b.ignore_rest("all elements and their scale stay");
  const DynamicScale own = b.dynamic_step("self");
  if (own.scale == ir::kNoValue) return b.define(b.steps("self"));
  b.define_dynamic(b.steps("self"), own);
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
