// SPDX-License-Identifier: Apache-2.0
// Numbers computed from sizes, which tract must not analyse in products.
#pragma once

#include <string_view>

#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// Whether all operands are symbolic sizes and constants, with at least one size.
bool are_sizes(const TractDraft& draft, const Refs& operands);

/// The number in a form that tract 0.23 does not analyse: |n| * sign(n); for integers, whose sign
/// 0.21 lacks, |n| - ||n| - n|. tract treats numbers that it can analyse as sizes, and then takes
/// W / 2W for 0, a tensor times W * 0.000001 for 0, and a state of a scan for a multiple of it.
Ref size_barrier(TractDraft& draft, Ref number);

/// The operands of an operation with a result of this shape. In products, tract also derives the
/// range of the other factor from a size, and combines several products into polynomials that grow
/// with each preceding operation.
Refs with_size_barriers(TractDraft& draft, std::string_view op, Refs operands, const Shape& shape);

}  // namespace t2n::tract_forms
