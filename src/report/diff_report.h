// SPDX-License-Identifier: Apache-2.0
// A comparison of two artefacts in a report.
#pragma once

#include <string>

#include "src/diff/diff.h"
#include "src/report/command_report.h"

namespace t2n::report {

/// Adds the fields "a", "b", "equal", "common" and "differences".
void add_diff(CommandReport& report, const std::string& a, const std::string& b,
              const diff::Result& result);

}  // namespace t2n::report
