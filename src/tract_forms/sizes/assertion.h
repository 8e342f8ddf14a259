// SPDX-License-Identifier: Apache-2.0
// Assertions about sizes in the forms that tract loads.
#pragma once

#include "ir/comparison.h"

namespace t2n::tract_forms {

/// The assertion as it is written. tract hangs on one that contains a minimum, or that equates a
/// symbol with an expression of itself.   Errors: `unsupported-argument` if there is no form.
ir::Comparison assertion_form(const ir::Comparison& assertion);

}  // namespace t2n::tract_forms
