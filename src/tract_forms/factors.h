// SPDX-License-Identifier: Apache-2.0
// Constants that scale a tensor one after the other, which tract folds into one.
#pragma once

#include <string_view>

#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// tract computes x * a * b as x * (a * b), which may overflow, underflow or be rounded
/// differently; the same holds for quotients. It does not fold across a negation.
enum class Folding {
  harmless,
  inexact,  ///< changes the last bits
  wrong,    ///< may overflow or underflow
};
/// What happens to an operand that `op` scales again.
Folding folding_of(const TractDraft& draft, std::string_view op, const Refs& operands,
                   size_t operand);

/// What scales a result, also if the operation only moves elements.
std::optional<Scaling> known_scaling(const TractDraft& draft, std::string_view op,
                                     const Refs& operands);

}  // namespace t2n::tract_forms
