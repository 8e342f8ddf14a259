// SPDX-License-Identifier: Apache-2.0
// The effect of operations on ranges of integers: rules that several families share.
#pragma once

#include "src/translate/integer_bounds.h"

namespace t2n::ops {

/// What the book of operators says of integer results.
struct IntegerRule {
  /// The range of the first result.
  Bounds (*range)(const OperandBounds& x);
  /// Results may be larger than everything in the operands.
  bool is_computed = false;
  /// Results after the first are indices into an operand.
  bool has_indices = false;
};
/// 16-bit integers are multiplied in two parts, which f32 represents exactly.
bool is_integer_product(const IntegerRule& rule);

namespace bounds {

Bounds kept(const OperandBounds& x);          ///< no larger than the operands
Bounds at_most_self(const OperandBounds& x);  ///< no larger than self
Bounds nothing(const OperandBounds& x);       ///< zeros
Bounds flag(const OperandBounds& x);          ///< -1, 0 or 1
Bounds count(const OperandBounds& x);         ///< indices and counts
Bounds product(const OperandBounds& x);       ///< self * other
Bounds total(const OperandBounds& x);         ///< sums of elements
Bounds running_product(const OperandBounds& x);
/// Sums of products of any number of tensors, with an added tensor.
Bounds mixed_product(const OperandBounds& x);
/// Operations that write, add or multiply values into positions.
Bounds put(const OperandBounds& x);

}  // namespace bounds

}  // namespace t2n::ops
