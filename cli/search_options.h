// --max-loss and --budget: what they take, and what is said of what they led to.
#pragma once

#include <string>

#include "src/export/compress_search.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

/// As typed; "" where not given.
struct SearchOptions {
  std::string max_loss;
  std::string budget;
};

void add_search_options(CLI::App& command, SearchOptions& options);

/// Errors: `usage` for what is no share and no size.
compress::Goal goal_of(const SearchOptions& options);

/// What was chosen, layer by layer.
std::string search_text(const SearchResult& result);

}  // namespace t2n::cli
