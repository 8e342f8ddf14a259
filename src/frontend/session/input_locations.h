// SPDX-License-Identifier: Apache-2.0
// Finds the part of forward's arguments that a sample belongs to. The signature decides, never the
// prefix of a name.
#pragma once

#include <ATen/core/function_schema.h>

#include <optional>
#include <string>
#include <vector>

#include "src/model/model.h"

namespace t2n::trace {

using InputPath = std::vector<std::string>;

struct InputLocation {
  InputPath path;       ///< {"past", "0", "k"}
  bool by_key = false;  ///< the path contains a dictionary key, where any name is allowed
};

/// The location that a sample names, by its parts or by its flat name ("past_0_k"); nothing if the
/// arguments have no such location. The name of an argument always means the argument. Errors:
/// `input-unknown` for a flat name of several locations.
std::optional<InputLocation> argument_location(const c10::FunctionSchema& schema,
                                               const SampleInput& sample);

/// `input_N`: the N-th tensor, whatever its name is.
bool is_position(const std::string& name);

}  // namespace t2n::trace
