// Which part of forward's arguments a sample is for: decided by the signature, never by how a name
// begins.
#pragma once

#include <ATen/core/function_schema.h>

#include <optional>
#include <string>
#include <vector>

#include "src/model/model.h"

namespace t2n::trace {

using InputPath = std::vector<std::string>;

struct InputPlace {
  InputPath path;       ///< {"past", "0", "k"}
  bool by_key = false;  ///< a key of a dictionary is on the way, and any name is one
};

/// The place that a sample names, by its parts or by its flat name ("past_0_k"); nothing if the
/// arguments have no such place. A name that is an argument's is the argument.
/// Errors: `input-unknown` for a flat name that several places have.
std::optional<InputPlace> argument_place(const c10::FunctionSchema& schema,
                                         const SampleInput& sample);

/// `input_N`: the N-th tensor, whatever its name.
bool is_position(const std::string& name);

}  // namespace t2n::trace
