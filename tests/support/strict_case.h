// The operator tests' examples as strict NNEF, for the test that runs them in NNEF-Tools.
#pragma once

#include "tests/support/example.h"

namespace t2n::test {

/// Exports for `khronos` into a folder of its own under $T2NNEF_STRICT_CASES, with inputs and
/// torch's outputs; does nothing without. What strict NNEF cannot say is recorded as refused.
/// Errors: those that are no refusals.
void leave_strict_case(const Example& example);

}  // namespace t2n::test
