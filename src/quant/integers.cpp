// Products with matrices of integers that have scales beside them, as models of language use them.
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using ir::DType;
using ir::TensorRef;
using ir::ValueId;

ValueId product(QuantBuilder& b, ValueId x, ValueId y) {
  return b.emit("aten::mm", {{"self", TensorRef{x}}, {"mat2", TensorRef{y}}}, b.dtype(x),
                b.output().shape);
}

/// Integers of 8 bits; the sums have 32.
void int_mm(QuantBuilder& b) {
  b.define(product(b, b.cast(b.tensor("self"), DType::i32), b.cast(b.tensor("mat2"), DType::i32)));
}

/// A row of the weight gives a column of the result, which its scale multiplies.
void int8_weight(QuantBuilder& b) {
  const ValueId x = b.cast(b.tensor("self"), DType::f32);
  const ValueId weight = b.permute(b.cast(b.tensor("mat2"), DType::f32), {1, 0});
  const ValueId scales = b.cast(b.tensor("scales"), DType::f32);
  b.define(b.binary("aten::mul.Tensor", product(b, x, weight), scales));
}

}  // namespace

QuantRule find_integer_rule(std::string_view op) {
  static const QuantRules rules = {{"aten::_int_mm", int_mm},
                                   {"aten::_weight_int8pack_mm", int8_weight}};
  return rule_in(rules, op);
}

}  // namespace t2n::quant
