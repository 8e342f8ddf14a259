// Checks streaming models (--stream), whose input comes in pulses.
#pragma once

#include "src/check/check_model.h"

namespace t2n {

/// Runs a loaded artefact in pulses of several sizes, over inputs of several pulses, each time in a
/// fresh state. Compares the results, starting at the first entry, with the model's results for the
/// full input. Rows of `result` keep the worst comparison. Errors: `engine-rejects` if the engine
/// does not support these pulses.
void check_in_pulses(const Checking& checking, CheckResult& result);

}  // namespace t2n
