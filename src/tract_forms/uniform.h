// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements tract may know to be equal. It must not use that in products.
#pragma once

#include <string_view>

#include "src/tract_forms/causes.h"
#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// Whether a zero operand makes the entire result zero.
bool is_absorbing(std::string_view op);

/// What tract may know of the elements of a result. It propagates integers through operations that
/// are elementwise, change axes, broadcast or cast.
Facts::Elements known_elements(const TractDraft& draft, std::string_view op, const Refs& operands);

/// If tract 0.23 knows that a factor, or the condition of a selection, is 0 or 1 everywhere, it
/// loses the sizes of that operand and of all dependent tensors; sums of such tensors do not load.
Barriers number_barriers(const TractDraft& draft, std::string_view op, const Refs& operands);

/// Constants that an operation of a body combines with tensors that vary between iterations. tract
/// drops the other operand of a factor 0, and takes a state that an integer multiplies or divides
/// for a multiple; both lead to contradictions later. They need a form that varies.
Barriers body_barriers(const TractDraft& draft, std::string_view op, const Refs& operands);

/// Constants with which tract folds an operation to a constant, which it broadcasts to the result's
/// shape before it knows an unbacked size.
Barriers unbacked_barriers(const TractDraft& draft, std::string_view op, const Refs& operands);

}  // namespace t2n::tract_forms
