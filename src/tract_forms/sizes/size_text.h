// SPDX-License-Identifier: Apache-2.0
// Sizes in tract's notation.
#pragma once

#include <string>

#include "ir/shape.h"

namespace t2n::tract_forms {

/// `2*S + 1`, `((S + 1)/2)` in tract's notation, which has truncating division, no remainder and no
/// unary sign. Errors: `unsupported-argument` if the size cannot be expressed.
std::string size_text(const ir::Dim& dim);
/// The expression that tract parses from that text. For tract, sizes are equal if they are the same
/// polynomial over the same quotients; (S + 1)/2 differs from S - S/2.
ir::Dim parsed_form(const ir::Dim& dim);
/// Whether size_text() succeeds.
bool has_size_text(const ir::Dim& dim);
/// Refuses deeply nested quotients, which tract cannot process in reasonable time.
void refuse_many_quotients(const ir::Dim& dim);

}  // namespace t2n::tract_forms
