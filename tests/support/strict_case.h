// SPDX-License-Identifier: Apache-2.0
// The operator tests' examples as strict NNEF, for the test that runs them in NNEF-Tools.
#pragma once

#include "tests/support/example.h"
#include "tests/support/refusals.h"

namespace t2n::test {

/// Empties what this program left before; does nothing without $T2NNEF_STRICT_CASES.
void start_strict_cases();

/// Exports for `khronos` into a folder of its own under $T2NNEF_STRICT_CASES, with inputs and
/// torch's outputs, and runs it; does nothing without. What strict NNEF cannot say is recorded as
/// refused, and leaves `refused.txt`.   Errors: those that are no refusals.
StrictRun run_strict_case(const Example& example);

/// Leaves the case out: for numbers that strict NNEF gives otherwise, which has no f64.
void drop_strict_case(Run& run);

/// What differs between torch and strict NNEF, "" if nothing does: kinds of elements, shapes,
/// values. Records which, and leaves the tolerance for NNEF-Tools.
std::string strict_differences(const Run& run, const check::Tolerance& tolerance);

/// What the cases that these programs left were refused for.
std::vector<Refused> strict_refusals(const std::string& folder,
                                     const std::vector<std::string>& programs);

}  // namespace t2n::test
