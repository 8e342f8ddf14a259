// SPDX-License-Identifier: Apache-2.0
// A finding of the lint, in a graph or in an artefact.
#pragma once

#include <string>

#include "src/diag/diagnostic.h"

namespace t2n {

struct Finding {
  std::string rule;
  std::string message;
  Where where;
  std::string help;  ///< what to do
};

/// The finding as a warning `lint`. Its subject is the rule.
Diagnostic warning_of(const Finding& finding);

}  // namespace t2n
