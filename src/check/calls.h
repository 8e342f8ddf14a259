// SPDX-License-Identifier: Apache-2.0
// Checks models with explicit states over several calls: each call receives the states of the last.
#pragma once

#include "src/check/check_model.h"

namespace t2n {

/// Calls a loaded artefact several times on new inputs, feeds its states back, and compares each
/// call with the model, which receives its own states. If a dynamic axis belongs to inputs and
/// outputs but to no state, also runs pieces along it and compares their concatenated results with
/// one call on the full input, if the model itself gives the same in pieces. Rows of `result` keep
/// the worst comparison. Does nothing for models without such states.
void check_calls(const Checking& checking, CheckResult& result);

}  // namespace t2n
