#include "src/diag/sink.h"

#include <algorithm>

namespace t2n {

Report DiagnosticList::report() {
  return [this](const Diagnostic& diagnostic) {
    const std::string text = render_text(diagnostic);
    const bool known = std::any_of(items.begin(), items.end(),
                                   [&](const Diagnostic& d) { return render_text(d) == text; });
    if (!known) items.push_back(diagnostic);
  };
}

}  // namespace t2n
