// Names of the inputs and outputs of states, and the samples that belong to states.
#pragma once

#include <ATen/core/function_schema.h>

#include <string>
#include <vector>

#include "src/model/model.h"
#include "src/model/traced.h"
#include "src/trace/leaves.h"

namespace t2n::trace {

/// A name for each path that no argument, no other state and no `input_N` has.
std::vector<std::string> state_names(const std::vector<std::string>& paths,
                                     std::vector<std::string> taken);

/// The path of the state that a sample is for; "" if it is for an argument or for nothing. A name
/// in the signature is an argument's. Any other name is that of a leaf of `attributes`, or of one
/// of `states`, those that the last trace found. Errors: `input-unknown` for a name that may be a
/// dictionary key as well.
std::string state_of(const SampleInput& sample, const c10::FunctionSchema& schema,
                     const std::vector<Attribute>& attributes, const std::vector<State>& states);

}  // namespace t2n::trace
