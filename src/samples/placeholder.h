// SPDX-License-Identifier: Apache-2.0
// Suggests values of `--input` for an argument of known type.
#pragma once

#include <string>
#include <vector>

#include "src/model/model.h"

namespace t2n {

/// Specs for `--input` with a value for every leaf of the argument, to be edited by the user:
/// "x=SHAPE,f32", "pair_0=…". None for arguments with a default.
std::vector<std::string> placeholders(const trace::ArgumentInfo& argument);

}  // namespace t2n
