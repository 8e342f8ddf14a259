// SPDX-License-Identifier: Apache-2.0
// Where an artefact begins to differ, as text.
#pragma once

#include <string>
#include <vector>

#include "src/check/localisation.h"

namespace t2n {

/// For the diagnostic of a difference: the first tensors, and what the file has differently.
std::vector<std::string> localisation_lines(const Localisation& found);

/// The location of the first tensor that differs, or of the first difference of the file; empty if
/// none is known.
std::vector<Where> localisation_where(const Localisation& found);

}  // namespace t2n
