// SPDX-License-Identifier: Apache-2.0
// The order of axes that tract chooses for results of scans.
#pragma once

#include <string_view>

#include "src/tract_forms/causes.h"
#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// The number of iterations of the scan that computed a result, if tract may still exchange the
/// axes of the scan for those of the result.
std::optional<Dim> known_scan_length(const TractDraft& draft, const Refs& operands);

/// tract moves the axis of a scan's iterations to the front, and with it that of all tensors that
/// are combined with the result. If two scans iterate over different axes, the one's order undoes
/// the other's, and the model never finishes loading. One operand is gathered along a dynamic axis,
/// since axes do not move through a gather.
Barriers layout_barriers(const TractDraft& draft, const Refs& operands);

/// Notes the numbers of iterations for the results of a scan.
void note_scan(TractDraft& draft, const Attributes& attributes, const Refs& results);

}  // namespace t2n::tract_forms
