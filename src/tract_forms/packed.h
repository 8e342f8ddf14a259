// SPDX-License-Identifier: Apache-2.0
// Weights stored as Q4_0 blocks, which tract supports only in a few operations.
#pragma once

#include <string_view>

#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// Refuses a call in which tract cannot read such a weight.   Errors: `unsupported-op`.
void check_packed(const TractDraft& draft, std::string_view op, const Refs& operands,
                  const Attributes& attributes);
[[noreturn]] void refuse_packed_in(const TractDraft& draft, std::string_view reader);

}  // namespace t2n::tract_forms
