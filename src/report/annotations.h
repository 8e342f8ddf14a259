// SPDX-License-Identifier: Apache-2.0
// The diagnostics of a report for tools that show them at the user's code.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/report/source_files.h"

namespace t2n::report {

/// SARIF 2.1.0: one result for each location of a diagnostic. `data` is report_data().
std::string sarif(const nlohmann::ordered_json& data, const SourceFiles& files);

/// GitHub's workflow commands, a line for each: "::error file=model.py,line=88,title=…::…".
std::string github_commands(const nlohmann::ordered_json& data, const SourceFiles& files);

}  // namespace t2n::report
