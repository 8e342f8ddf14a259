// SPDX-License-Identifier: Apache-2.0
// Variables of the environment: T2NNEF_TARGET is --target.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/settings.h"

namespace t2n::cli {

/// Names and values of all variables that begin with T2NNEF_, sorted.
std::vector<std::pair<std::string, std::string>> own_variables();

/// The options of a command that variables set. An empty variable sets nothing; a repeatable option
/// takes a value from each line.
std::vector<Setting> variable_settings(const CLI::App& command);

/// `export` refuses --engine and the like without --check: variables then do not set them.
std::vector<Setting> without_those_of_check(const CLI::App& command, std::vector<Setting> settings);

/// A line for each variable that is neither an option nor known, but almost one.
std::vector<std::string> misspelt_variables(const CLI::App& program);

}  // namespace t2n::cli
