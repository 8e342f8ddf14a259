// docs/operators.md, made from the registry.
#pragma once

#include <string>

namespace t2n::cli {

/// A table per family: operators, how each target writes them, formula, what is refused.
std::string operators_markdown();

}  // namespace t2n::cli
