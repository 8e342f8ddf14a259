// Products of integers that no scale goes with.
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

}  // namespace

const QuantRules& integer_rules() {
  static const QuantRules rules = {{"_int_mm", int_mm}};
  return rules;
}

}  // namespace t2n::quant
