// The effect of operations on ranges of integers: one rule per group of operators.
#pragma once

#include "src/translate/integer_bounds.h"

namespace t2n::ops {

struct IntegerRule {
  /// The range of the first result.
  Bounds (*range)(const Operands& x);
  /// Results may be larger than everything in the operands.
  bool is_computed;
  /// Results after the first are indices into an operand.
  bool has_indices;
};
/// nullptr for operators without a rule.
const IntegerRule* find_integer_rule(const ir::Node& node);
/// 16-bit integers are multiplied in two parts, which f32 represents exactly.
bool is_product(const IntegerRule& rule);

}  // namespace t2n::ops
