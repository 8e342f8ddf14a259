// SPDX-License-Identifier: Apache-2.0
// How far each tensor of an artefact is from the model's, as a text table.
#pragma once

#include <string>

#include "src/check/localisation.h"

namespace t2n::check {

/// A headline, and a line per tensor below its module and the user's line, indented by two. Lines
/// have at most `width` characters: long names lack their start. "" without tensors.
std::string localisation_table(const Localisation& found, size_t width);

}  // namespace t2n::check
