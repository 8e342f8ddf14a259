// SPDX-License-Identifier: Apache-2.0
// The output of `opt`: the list of passes, and tables of their effects.
#pragma once

#include <string>

#include "src/export/opt.h"

namespace t2n::cli {

/// All passes with their contracts, and the named pipelines.
std::string pass_list();

/// A row for each pass and output: its difference from the reference.
std::string values_table(const OptOptions& options, const PassSteps& steps);

/// Seconds for each pass, and in total.
std::string times_table(const PassSteps& steps);

}  // namespace t2n::cli
