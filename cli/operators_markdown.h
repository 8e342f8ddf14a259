// SPDX-License-Identifier: Apache-2.0
// Generates docs/operators.md from the registry.
#pragma once

#include <string>

namespace t2n::cli {

/// A table for each family: operators, what each target writes, formula, refusals.
std::string operators_markdown();

}  // namespace t2n::cli
