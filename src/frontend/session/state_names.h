// SPDX-License-Identifier: Apache-2.0
// Names of the inputs and outputs of states, and the samples that belong to states.
#pragma once

#include <ATen/core/function_schema.h>

#include <string>
#include <vector>

#include "src/frontend/state/leaves.h"
#include "src/model/model.h"
#include "src/model/traced.h"

namespace t2n::trace {

/// A unique name for each path, distinct from arguments, other states and `input_N`.
std::vector<std::string> state_names(const std::vector<std::string>& paths,
                                     std::vector<std::string> taken);

/// The path of the state that a sample belongs to; "" if it belongs to an argument or to nothing. A
/// name in the signature is an argument's. Any other name is that of a leaf of `attributes`, or of
/// one of `states`, those of the last trace. Errors: `input-unknown` for a name that may also be a
/// dictionary key.
std::string state_of(const SampleInput& sample, const c10::FunctionSchema& schema,
                     const std::vector<Attribute>& attributes, const std::vector<State>& states);

}  // namespace t2n::trace
