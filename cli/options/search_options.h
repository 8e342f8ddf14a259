// SPDX-License-Identifier: Apache-2.0
// The options --max-loss and --budget, and the text of the result.
#pragma once

#include <string>

#include "cli/options/app.h"
#include "src/export/compress_search.h"

namespace t2n::cli {

/// The options as typed; "" if absent.
struct SearchOptions {
  std::string max_loss;
  std::string budget;
};

void add_search_options(CLI::App& command, SearchOptions& options);

/// Errors: `usage` for anything but a share and a size.
compress::Goal goal_of(const SearchOptions& options);

/// The choice, layer by layer.
std::string search_text(const SearchResult& result);

}  // namespace t2n::cli
