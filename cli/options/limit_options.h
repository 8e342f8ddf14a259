// SPDX-License-Identifier: Apache-2.0
// Options that limit the resources of a command, the same for every command.
#pragma once

#include <optional>
#include <string>

#include "cli/options/app.h"

namespace t2n::cli {

struct LimitOptions {
  std::optional<double> timeout;  ///< seconds
  std::string max_memory;         ///< "": the machine's memory less a margin
};

void add_limit_options(CLI::App& command, LimitOptions& options);

/// Starts the watch that ends the process when it exceeds a limit.   Errors: `usage`.
void start_limits(const LimitOptions& options);

}  // namespace t2n::cli
