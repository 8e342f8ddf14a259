// What the lint finds, in graphs and in artefacts.
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

/// As a warning `lint`, of which the subject is the rule.
Diagnostic warning_of(const Finding& finding);

}  // namespace t2n
