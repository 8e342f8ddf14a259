// SPDX-License-Identifier: Apache-2.0
#include "src/diag/sink.h"

#include <algorithm>
#include <utility>

namespace t2n {

void warn_of(const Report& report, std::string id, std::vector<std::string> details,
             std::string message, std::string help, std::string why) {
  if (details.empty() || !report) return;
  report({.severity = Severity::warning,
          .id = std::move(id),
          .message = std::move(message),
          .where = {},
          .details = std::move(details),
          .why = std::move(why),
          .help = std::move(help)});
}

Report DiagnosticList::report() {
  return [this](const Diagnostic& diagnostic) {
    const std::string text = render_text(diagnostic);
    const bool known = std::any_of(items.begin(), items.end(),
                                   [&](const Diagnostic& d) { return render_text(d) == text; });
    if (!known) items.push_back(diagnostic);
  };
}

}  // namespace t2n
