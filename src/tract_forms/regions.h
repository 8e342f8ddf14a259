// SPDX-License-Identifier: Apache-2.0
// Regions of interest, which tract derives from integer factors.
#pragma once

#include <string_view>

#include "src/tract_forms/causes.h"
#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// tract 0.23 takes an integer constant that multiplies or divides x for the region of interest of
/// x. It joins the regions a and b of two uses to a + b - a*b, and hands the result on through
/// operations that compute entry by entry or move entries. If that number exceeds 64 bits, it stays
/// an expression that grows with each operation, and the model never finishes loading. The operand
/// of a further factor is gathered then, since a gather hands nothing on.
Barriers region_barriers(const TractDraft& draft, std::string_view op, const Refs& operands);

/// Whether all axes have the extent 1.
bool has_one_element(const Shape& shape);

/// Notes what the regions of the operands of a call are derived from.
void note_regions(TractDraft& draft, std::string_view op, const Refs& operands, Ref result);

/// Whether the operation, which is not elementwise, has one operand whose entries it moves or
/// casts.
bool moves_entries(std::string_view op);

}  // namespace t2n::tract_forms
