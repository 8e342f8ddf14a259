// What `opt` says of passes: the list of all, and tables of what each did.
#pragma once

#include <string>

#include "src/export/opt.h"

namespace t2n::cli {

/// All passes with their contracts, and the pipelines that have names.
std::string pass_list();

/// A row per pass and output: how far it is from what it is compared with.
std::string values_table(const OptOptions& options, const Steps& steps);

/// Seconds per pass, and in all.
std::string times_table(const Steps& steps);

}  // namespace t2n::cli
