// SPDX-License-Identifier: Apache-2.0
// Reads size expressions in a grammar that its caller describes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/comparison.h"

namespace t2n::ir {

struct SizeGrammar {
  /// Binary operators, those that bind least first; they associate to the left.
  std::vector<std::vector<std::string_view>> operators;
  std::vector<std::string_view> functions;  ///< of one operand or more
  /// The value of `a op b` or `op(a, b)`. Errors: `ir-syntax` for operands that are not allowed.
  Dim (*apply)(std::string_view op, const Dim& a, const Dim& b);
  Symbol (*symbol)(std::string_view name);
  /// Whether a sign belongs to an operand: in `-S // 2`, to S and not to the quotient.
  bool has_signed_operands = false;
};

/// Reads an expression over integers and symbols. Errors: `ir-syntax`.
Dim read_size(std::string_view text, const SizeGrammar& grammar);
/// Reads `left relation right`; std::nullopt for other text, and where a number does not fit.
std::optional<Comparison> read_comparison(std::string_view text, const SizeGrammar& grammar);

}  // namespace t2n::ir
