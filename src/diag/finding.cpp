#include "src/diag/finding.h"

#include "src/diag/error.h"

namespace t2n {

Diagnostic warning_of(const Finding& finding) {
  return {.severity = Severity::warning,
          .id = "lint",
          .message = cat(finding.rule, ": ", finding.message),
          .where = {finding.where},
          .details = {},
          .why = {},
          .help = finding.help,
          .subject = finding.rule};
}

}  // namespace t2n
