// SPDX-License-Identifier: Apache-2.0
#include "src/diag/finding.h"

namespace t2n {

Diagnostic warning_of(const Finding& finding) {
  return {.severity = Severity::warning,
          .id = "lint",
          .message = finding.message,
          .where = {finding.where},
          .details = {},
          .why = {},
          .help = finding.help,
          .subject = finding.rule};
}

}  // namespace t2n
