// What to type for an argument of which only the type is known.
#pragma once

#include <string>
#include <vector>

#include "src/model/model.h"

namespace t2n {

/// Specs for `--input` that give every place in the argument a value, to be edited by the user:
/// "x=1,3,224,224,f32", "pair_0=…". None for arguments with a default.
std::vector<std::string> placeholders(const trace::ArgumentInfo& argument);

}  // namespace t2n
