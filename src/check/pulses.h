// SPDX-License-Identifier: Apache-2.0
// Checks streaming models (--stream), whose input comes in pulses.
#pragma once

#include "src/check/check_model.h"

namespace t2n {

/// Runs a loaded artefact in pulses of several sizes, over inputs of several pulses, each time in a
/// fresh state. Compares the results, starting at the first entry, with the model's results for the
/// full input. Rows of `result` keep the worst comparison. Errors: `engine-rejects` if the engine
/// does not support these pulses.
void check_in_pulses(const Checking& checking, CheckResult& result);

/// The first entries along an axis; fewer if it is shorter.
ir::Tensor first_of(const ir::Tensor& tensor, int64_t axis, int64_t count);
/// The parts of inputs that the pulses of a set consist of. `axes`: those along which each input is
/// streamed, or -1.
std::vector<ir::Tensor> fed_in_pulses(std::vector<ir::Tensor> inputs,
                                      const std::vector<int64_t>& axes, const InputSet& set);

}  // namespace t2n
