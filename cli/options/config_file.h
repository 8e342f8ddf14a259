// SPDX-License-Identifier: Apache-2.0
// `--config FILE`: options of commands, read from a file.
#pragma once

#include <string>
#include <vector>

#include "cli/options/app.h"
#include "cli/options/settings.h"

namespace t2n::cli {

/// `files`: receives the files on the command line, if given.
void add_config_option(CLI::App& command, std::vector<std::string>* files = nullptr);

/// Reads the files of a parsed command, or those that T2NNEF_CONFIG names. Keys are the long names
/// of its options; values are strings, numbers, booleans, or lists of them; `dynamic` may also be a
/// table of inputs, each a table of axes. The table `export` holds options of that command only,
/// which override those at top level; likewise for every command. The format is JSON for the suffix
/// .json, else TOML. Errors: `usage` with file and line, also for tables of other commands.
std::vector<Setting> read_config_files(const CLI::App& command,
                                       const std::vector<std::string>& files);

}  // namespace t2n::cli
