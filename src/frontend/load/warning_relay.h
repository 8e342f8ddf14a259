// SPDX-License-Identifier: Apache-2.0
// Turns LibTorch's warnings into notes: the user sees each one once, and only on request.
#pragma once

#include <c10/util/Exception.h>

#include "src/diag/printable.h"
#include "src/diag/sink.h"
#include "src/frontend/load/torch_error.h"

namespace t2n::trace {

class WarningRelay : public c10::WarningHandler {
 public:
  explicit WarningRelay(const Report& report) : report_(report) {}
  void process(const c10::Warning& warning) override {
    if (report_)
      report_(Diagnostic{.severity = Severity::note,
                         .id = "torch-warning",
                         .message = first_line(warning.msg()),
                         .where = {},
                         .details = {},
                         .why = {},
                         .help = {}});
  }

 private:
  const Report& report_;
};

}  // namespace t2n::trace
