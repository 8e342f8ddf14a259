// The options that bound what a command may take of the machine, the same in every command.
#pragma once

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

struct LimitOptions {
  std::optional<double> timeout;  ///< seconds
  std::string max_memory;         ///< "" : what the machine has, less a margin
};

void add_limit_options(CLI::App& command, LimitOptions& options);

/// From now on the process ends when it takes more.   Errors: `usage`.
void start_limits(const LimitOptions& options);

}  // namespace t2n::cli
